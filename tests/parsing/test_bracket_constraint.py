from pathlib import Path

import keras
import numpy as np
import oracles_parsing
import pytest
import tensorflow as tf
import tiny
from jax_process import output_under_jax
from keras import ops
from scripted import Model, State

from neural_gpu_tf.constants import EOS, GO, PAD
from neural_gpu_tf.decoding import beam_search, greedy, size_search
from neural_gpu_tf.decoding.constraint import Constrained
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.options import DecodingConfig
from neural_gpu_tf.parsing import (
    BracketConstraint,
    delinearize,
    linearize,
    read_symbols,
    spell_symbols,
    spell_words,
)
from neural_gpu_tf.parsing.bracket_constraint import FIRST_BYTE, FIRST_CHARACTER
from neural_gpu_tf.text import SpellOutTokenizer, Vocabulary
from neural_gpu_tf.text import vocabulary as vocabulary_module

LABELS, TAGS = oracles_parsing.LABELS, oracles_parsing.TAGS
PIECES = ["cat", "_2a", "U_2eS_2e", "was"]


def vocabulary_of(labels, tags, characters="at_2e", pieces=PIECES):
    symbols = [f"{side}{label}" for side in "()" for label in labels]
    spelled = spell_symbols([*symbols, *tags]).split()
    return Vocabulary(list(characters), [*pieces, *spelled])


VOCABULARY = vocabulary_of(LABELS, TAGS)
TOKENIZER = SpellOutTokenizer(VOCABULARY)


def canvases(sentences, extra=0, least=0):
    """Sources of symbols and canvas sizes: of each source, but at least words + 3."""
    symbols = TOKENIZER.tokenize(list(map(spell_words, sentences)))
    size = np.maximum(symbols.row_lengths(), [len(words) + 3 for words in sentences])
    size = np.maximum(size + extra, least).astype(np.int32)
    return symbols.to_tensor(shape=[None, size.max()]).numpy(), size


def random_sentences(seed, count, most=9):
    rng = np.random.default_rng(seed)
    return [oracles_parsing.random_words(rng, most) for _ in range(count)]


def output(row, vocabulary=VOCABULARY):
    """The symbols that a row of a decoder's output says, without EOS."""
    row = [int(symbol) for symbol in row if symbol != PAD]
    assert row.index(EOS) == len(row) - 1
    return read_symbols(
        " ".join(vocabulary.symbols[symbol] for symbol in row[:-1]), "output"
    )


def check_trees(symbols, sentences, max_depth=64, max_opened=8):
    for row, words in zip(np.array(symbols), sentences, strict=True):
        said = output(row)
        tree = delinearize(said, words, "output")  # raises unless it is one
        assert tree.words() == words
        depth, opened = oracles_parsing.nesting(said)
        assert depth <= max_depth and opened <= max_opened


def test_symbols_have_the_numbers_of_the_vocabulary():
    assert FIRST_BYTE == vocabulary_module.FIRST_BYTE
    assert len(vocabulary_module.RESERVED) == FIRST_CHARACTER


@pytest.mark.parametrize(
    "vocabulary",
    [
        VOCABULARY,
        vocabulary_of(["S"], ["NN"], "", []),  # spells all in bytes
        vocabulary_of(["S"], ["NN"], "acIUSn_e27", ["U_2eS_2e", "n_27t", "_2a"]),
    ],
)
def test_words_are_counted_however_they_are_spelled(vocabulary):
    sentences = random_sentences(0, 200) + [["a"], ["I", "a", "I"], ["été", "*"]]
    symbols = SpellOutTokenizer(vocabulary).tokenize(list(map(spell_words, sentences)))
    source = np.pad(symbols.to_tensor().numpy(), [[0, 0], [0, 2]])
    counted = BracketConstraint(vocabulary.symbols).count_words(source)
    np.testing.assert_array_equal(counted, [len(words) for words in sentences])
    assert (
        np.array(BracketConstraint(vocabulary.symbols).count_words(source * 0)).max()
        == 0
    )


@pytest.mark.parametrize(
    "words, size, max_depth, max_opened",
    [
        (1, 8, 8, 8),
        (1, 9, 8, 8),
        (2, 12, 8, 8),
        (3, 10, 8, 8),
        (2, 11, 2, 8),
        (2, 13, 8, 2),
    ],
)
def test_allows_all_trees_and_nothing_else(words, size, max_depth, max_opened):
    """At every prefix of every tree that fits, just what some tree goes on with.

    A tree takes words + 2 constituents + 1 columns: sizes that are even and odd, so
    that some canvases are just filled and some have a column too many.
    """
    labels, tags = ("A", "B"), ("x", "y")
    vocabulary = vocabulary_of(labels, tags)
    constraint = BracketConstraint(vocabulary.symbols, max_depth, max_opened)
    sequences = set()
    for sequence in oracles_parsing.all_sequences(labels, tags, words, size // 2):
        depth, opened = oracles_parsing.nesting(sequence)
        if len(sequence) < size and depth <= max_depth and opened <= max_opened:
            sequences.add(sequence)
    follow = oracles_parsing.next_symbols(sequences)
    assert len(follow) > 50
    number = {
        symbol: vocabulary.symbols.index(spell_symbols([symbol]))
        for symbol in ("(A", "(B", ")A", ")B", "x", "y")
    } | {None: EOS}
    by_length = {}
    for prefix in follow:
        by_length.setdefault(len(prefix), []).append(prefix)
    for t, prefixes in by_length.items():
        source = np.full((len(prefixes), 4), vocabulary.piece_ids[0]) * (
            np.arange(4) < words
        )
        state = constraint.start(source.astype(np.int32), np.full(len(prefixes), size))
        state = constraint.advance(state, np.full(len(prefixes), GO, np.int32))
        for column in range(t):
            said = [number[prefix[column]] for prefix in prefixes]
            state = constraint.advance(state, np.array(said, np.int32))
        allowed = np.array(constraint.allowed(state, t))
        for row, prefix in zip(allowed, prefixes, strict=True):
            expected = {number[symbol] for symbol in follow[prefix]}
            assert set(np.flatnonzero(row)) == expected, prefix


def test_allows_every_tree_of_a_canvas_that_just_holds_it():
    rng = np.random.default_rng(1)
    constraint = BracketConstraint(VOCABULARY.symbols, max_opened=20)
    sentences = random_sentences(2, 50)
    linear = [linearize(oracles_parsing.random_tree(rng, some)) for some in sentences]
    size = np.array([len(said) + 1 for said in linear])
    symbols = np.full((50, size.max()), PAD, np.int32)
    for row, said in enumerate(linear):
        texts = [*spell_symbols(said).split(), "<eos>"]
        symbols[row, : len(texts)] = list(map(VOCABULARY.symbols.index, texts))
    source, _ = canvases(sentences)
    state = constraint.start(source, size)
    for t, now in enumerate(symbols.T):
        allowed = np.array(constraint.allowed(state, t))
        assert (allowed[range(50), now] | (now == PAD)).all()
        state = constraint.advance(state, now)


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


@pytest.mark.parametrize("mark", ["nothing", "open__", "close__", "tag__", "<eos>"])
@pytest.mark.parametrize("extra", [0, 1, 30])
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
    return tiny.new_model(len(VOCABULARY))


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
    sentences = random_sentences(7, 20, most=5)
    source, size = canvases(sentences, extra=8)
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


def test_the_state_leads_with_the_batch_and_keeps_its_shapes():
    constraint = BracketConstraint(VOCABULARY.symbols)
    source, size = canvases(random_sentences(6, 3))
    state = constraint.start(source, size)
    after = constraint.advance(state, np.array([3, 4, 5], np.int32))
    for one, other in zip(*map(keras.tree.flatten, (state, after)), strict=True):
        assert one.shape == other.shape and one.shape[0] == 3
        assert one.dtype == other.dtype


def test_a_bracket_without_its_closing_is_not_allowed():
    pieces = ["open__S", "open__NP", "close__S", "close__VP", "tag__NN"]
    vocabulary = Vocabulary("", pieces)
    constraint = BracketConstraint(vocabulary.symbols)
    state = constraint.start(np.array([[264, 264]]), np.array([20]))
    allowed = np.flatnonzero(np.array(constraint.allowed(state, 0))[0])
    assert [vocabulary.symbols[symbol] for symbol in allowed] == ["open__S"]


@pytest.mark.parametrize("pieces", [["cat"], ["open__S", "close__S"], ["tag__NN"]])
def test_a_vocabulary_without_trees_is_refused(pieces):
    with pytest.raises(InputError, match="no brackets or no tags"):
        BracketConstraint(Vocabulary("", pieces).symbols)


def test_gives_trees_under_jax():
    """Under jit, and no TensorFlow is imported."""
    script = Path(__file__).with_name("under_jax.py")
    assert "trees under JAX" in output_under_jax(script)
