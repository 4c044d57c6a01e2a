import dataclasses
from pathlib import Path

import numpy as np
import oracles_parsing
import pytest
import tensorflow as tf
import tiny
from backend_process import BACKENDS, output_under
from bracket_cases import (
    TOKENIZER,
    VOCABULARY,
    canvases,
    check_trees,
    output,
    random_sentences,
)
from keras import ops
from scripted import Model, State

from neural_gpu_tf.constants import GO, PAD
from neural_gpu_tf.decoding import beam_search, greedy, size_search
from neural_gpu_tf.decoding.constraint import Constrained
from neural_gpu_tf.options import DecodingConfig
from neural_gpu_tf.parsing import (
    BracketConstraint,
    spell_words,
)


class Noise(Model):
    """Random logits, others in every column and for every previous symbol and row."""

    def __init__(self, symbols, rows, seed=0, tilt=None):
        noise = np.random.default_rng(seed).normal(size=(997, symbols))
        self.logits = (noise + (0 if tilt is None else tilt)).astype(np.float32)
        self.rows = rows

    def start(self, source, size):
        return State(ops.arange(self.rows), size)

    def step(self, state, previous, t):
        place = state.source * 31 + previous * 7 + t * 101
        return state, ops.take(self.logits, place % 997, axis=0)


def tilt_to(mark):
    """Makes one kind of symbols far more likely than all others."""
    return np.array([4.0 * symbol.startswith(mark) for symbol in VOCABULARY.symbols])


@pytest.mark.parametrize(
    "mark, extra",
    [("nothing", 1), ("open__", 0), ("open__", 30), ("close__", 0), ("<eos>", 0)],
)
def test_random_logits_give_well_formed_trees(mark, extra):
    sentences = random_sentences(3, 100)
    source, size = canvases(sentences, extra=extra)
    noise = Noise(len(VOCABULARY), 100, extra, tilt_to(mark))
    constraint = BracketConstraint(VOCABULARY.symbols, max_depth=9, max_opened=4)
    hypotheses = greedy(Constrained(noise, constraint), source, size)
    assert np.array(hypotheses.finished).all()
    assert np.isfinite(np.array(hypotheses.log_probability)).all()
    check_trees(hypotheses.symbols, sentences, max_depth=9, max_opened=4)
    if (mark, extra) == ("open__", 30):  # and the limits are reached
        nested = [
            oracles_parsing.nesting(output(row)) for row in np.array(hypotheses.symbols)
        ]
        assert max(depth for depth, _ in nested) == 9
        assert max(opened for _, opened in nested) == 4


@pytest.fixture(scope="module")
def model():
    """Untrained; without the constraint it says no tree."""
    config = dataclasses.replace(tiny.MODEL, model="neural_gpu")
    return tiny.new_model(len(VOCABULARY), config)


def in_graph(search, lengths):
    """A search as one graph, for any number of sources of any length."""
    specs = [tf.TensorSpec([None, None], tf.int32), tf.TensorSpec([None], lengths)]
    return tf.function(search, input_signature=specs, autograph=False)


def test_an_untrained_model_gives_100_trees(model):
    sentences = random_sentences(4, 100)
    source, size = canvases(sentences, extra=5)
    constrained = Constrained(model, BracketConstraint(VOCABULARY.symbols))

    def search(source, size):
        return greedy(constrained, source, size), greedy(model, source, size)

    hypotheses, free = in_graph(search, tf.int32)(source, size)
    assert hypotheses.finished.numpy().all()
    check_trees(hypotheses.symbols, sentences)
    assert not (free.symbols == hypotheses.symbols).numpy().all(1).any()


def test_size_search_gives_trees_in_a_graph_of_unknown_shapes(model):
    """Though the smallest canvases of most sentences hold no tree."""
    sentences = random_sentences(5, 20, most=5)
    source, _ = canvases(sentences)
    length = TOKENIZER.tokenize(list(map(spell_words, sentences))).row_lengths()
    constrained = Constrained(model, BracketConstraint(VOCABULARY.symbols))
    config = DecodingConfig(sizes="4", size_margin=3, max_size_ratio=1)

    def search(source, length):
        return size_search(constrained, source, length, config)

    decoded = in_graph(search, tf.int64)(source, length)
    check_trees(decoded.symbols, sentences)
    assert np.isfinite(decoded.log_probability.numpy()).all()


@pytest.mark.parametrize("beam", [1, 3])
def test_a_beam_keeps_trees_only(beam):
    sentences = random_sentences(7, 20, most=3)
    source, size = canvases(sentences, extra=3)
    noise = Noise(len(VOCABULARY), 20, seed=8)
    noise.logits *= 3
    constrained = Constrained(noise, BracketConstraint(VOCABULARY.symbols))
    found = beam_search(constrained, source, size, beam=beam, n_best=beam)
    assert np.array(found.finished).all()
    for rank in range(beam):
        rows = np.array(found.symbols)[:, rank]
        check_trees(rows, sentences)
        np.testing.assert_allclose(
            np.array(found.log_probability)[:, rank], log_p(noise, rows), rtol=1e-4
        )
    if beam == 1:
        greedily = greedy(constrained, source, size)
        np.testing.assert_array_equal(found.symbols[:, 0], greedily.symbols)


def log_p(noise, rows):
    """What the model alone says of outputs, with nothing forbidden."""
    state, total = noise.start(rows, None), np.zeros(len(rows))
    previous = np.full(len(rows), GO)
    for t, now in enumerate(rows.T):
        state, logits = noise.step(state, previous, t)
        every = np.array(ops.log_softmax(logits))
        total += np.where(now == PAD, 0, every[range(len(rows)), now])
        previous = now
    return total


def test_a_canvas_that_holds_no_tree_is_never_finished(model):
    sentences = [["cat"] * 3, ["cat"] * 3, ["cat"], []]
    source, _ = canvases(sentences)
    size = np.array([5, 6, 3, 4], np.int32)
    constrained = Constrained(model, BracketConstraint(VOCABULARY.symbols))
    hypotheses = greedy(constrained, source, size)
    np.testing.assert_array_equal(hypotheses.finished, [False, True, False, False])
    assert np.isfinite(np.array(hypotheses.log_probability)).all()
    said = [VOCABULARY.symbols[s] for s in np.array(hypotheses.symbols)[0] if s]
    assert len(said) == 5 and all(text.startswith("tag__") for text in said)


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
def test_gives_trees_under_other_backends(backend):
    """Under jit, and no TensorFlow is imported."""
    script = Path(__file__).with_name("under_backend.py")
    assert "trees" in output_under(backend, script)
