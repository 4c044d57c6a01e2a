from typing import NamedTuple

import keras
import numpy as np
import pytest
import tensorflow as tf
import tiny
from keras import ops
from none_twice import SYMBOLS, NoneTwice, table
from scripted import BySize, Markov

from neural_gpu_tf.constants import EOS, GO, PAD
from neural_gpu_tf.decoding import greedy, size_search
from neural_gpu_tf.decoding.constraint import Constrained
from neural_gpu_tf.options import DecodingConfig


def sources(*counts, columns=6):
    return np.array([[5] * n + [4] + [0] * (columns - n - 1) for n in counts], np.int32)


def normalized(logits):
    return logits - np.log(np.exp(logits).sum(-1, keepdims=True))


def test_forbidden_symbols_are_impossible_and_the_others_keep_their_probability():
    logits = table()
    model = Constrained(Markov(logits), NoneTwice())
    state = model.start(sources(2, 0), np.array([6, 6]))
    state, first = model.step(state, np.array([GO, GO]), 0)
    before = normalized(logits[GO])
    expected = np.full((2, SYMBOLS), -np.inf)
    expected[0, 3:] = before[3:]
    expected[1, EOS] = before[EOS]
    np.testing.assert_allclose(
        np.array(ops.log_softmax(first))[:, GO:], expected[:, GO:], rtol=1e-5
    )
    forbidden = ~np.isfinite(expected)
    for row in range(2):
        share = np.exp(before)[forbidden[row]].sum()
        pad = ops.log_softmax(first)[row, PAD]
        np.testing.assert_allclose(pad, np.log(share), rtol=1e-4)
    np.testing.assert_allclose(np.array(first)[0, 3:], logits[GO, 3:])  # not shifted
    assert first.dtype == "float32"


def test_the_state_follows_what_was_said():
    logits = table()
    model = Constrained(Markov(logits), NoneTwice())
    state = model.start(sources(3), np.array([6]))
    for t, (previous, legal) in enumerate(
        [(GO, {3, 4, 5, 6, 7}), (4, {3, 5, 6, 7}), (7, {3, 5, 6}), (3, {EOS})]
    ):
        state, now = model.step(state, np.array([previous]), t)
        now = np.array(now)[0]
        assert {v for v in range(1, SYMBOLS) if np.isfinite(now[v])} == legal


def test_neither_pad_nor_go_is_allowed_by_mistake():
    class Anything(NoneTwice):
        def allowed(self, state, t):
            return ops.ones_like(state.said, dtype="bool")

    logits = table()
    logits[:, [PAD, GO]] = 9
    model = Constrained(Markov(logits), Anything())
    _, now = model.step(model.start(sources(1), np.array([6])), np.array([GO]), 0)
    share = np.exp(normalized(logits[GO]))[[PAD, GO]].sum()
    log_p = np.array(ops.log_softmax(now))[0]
    np.testing.assert_allclose(np.exp(log_p[[PAD, GO]]), [share, 0], rtol=1e-5)
    np.testing.assert_allclose(log_p[EOS:], normalized(logits[GO])[EOS:], rtol=1e-5)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_half_precision_has_no_nan(dtype):
    class Half(Markov):
        def step(self, state, previous, t):
            state, logits = super().step(state, previous, t)
            return state, ops.cast(logits, dtype)

    model = Constrained(Half(table()), NoneTwice())
    _, now = model.step(model.start(sources(0), np.array([6])), np.array([GO]), 0)
    assert now.dtype == "float32"
    assert not np.isnan(np.array(ops.log_softmax(now))).any()
    assert np.isfinite(np.array(now)[0, [PAD, EOS]]).all()


def greedy_oracle(logits, most, size):
    said, total, previous = [], 0.0, GO
    while len(said) < size and (not said or said[-1] != EOS):
        legal = [v for v in range(3, SYMBOLS) if v not in said]
        legal = legal if len(said) < most else [EOS]
        row = normalized(logits[previous])
        previous = max(legal, key=lambda v: row[v])
        said.append(previous)
        total += row[previous]
    return said, total


@pytest.mark.parametrize("seed", range(5))
def test_greedy_takes_the_likeliest_that_is_allowed(seed):
    logits = table(seed)
    sizes = np.array([6, 5, 3, 2])
    model = Constrained(Markov(logits), NoneTwice())
    counts = (3, 0, 4, 1)
    hypotheses = greedy(model, sources(*counts), sizes)
    for row, (most, size) in enumerate(zip(counts, sizes, strict=True)):
        said, total = greedy_oracle(logits, most, size)
        symbols = np.array(hypotheses.symbols)[row]
        assert symbols[symbols != PAD].tolist() == said
        np.testing.assert_allclose(hypotheses.log_probability[row], total, rtol=1e-4)
        assert bool(hypotheses.finished[row]) == (said[-1] == EOS)


def test_a_forced_end_is_not_taken_for_a_likely_one():
    """What the model finds unlikely stays so where the constraint leaves no choice."""
    model = BySize({2: [(5, 0.5), (EOS, 0.01)], 3: [(6, 0.5), (EOS, 0.02)]})
    constraint = NoneTwice(symbols=10)
    source, length = np.array([[5, 4]], np.int32), np.array([2])
    decoded = size_search(
        Constrained(model, constraint), source, length, DecodingConfig()
    )
    assert (int(decoded.size[0]), np.array(decoded.symbols)[0, :2].tolist()) == (
        3,
        [6, EOS],
    )
    np.testing.assert_allclose(decoded.log_probability, [np.log(0.01)], rtol=1e-4)


def test_attention_and_sized_are_those_of_the_model():
    class State(NamedTuple):
        attention: object

    class Attentive(Markov):
        sized = False
        attends = True

        def start(self, source, size):
            return State(ops.ones_like(source, dtype="float32"))

    model = Constrained(Attentive(table()), NoneTwice())
    state = model.start(sources(1, 2), np.array([6, 6]))
    assert state.attention.shape == (2, 6)
    assert not model.sized and model.attends and not model.aligns
    plain = Constrained(Markov(table()), NoneTwice())
    assert plain.sized and not plain.attends


def test_every_tensor_of_the_state_leads_with_the_batch():
    model = Constrained(tiny.new_model(SYMBOLS), NoneTwice())
    state = model.start(sources(1, 2, 3), np.array([6, 4, 5], np.int32))
    for _ in range(2):
        assert {leaf.shape[0] for leaf in keras.tree.flatten(state)} == {3}
        state, _ = model.step(state, np.array([3, 4, 5], np.int32), 1)


def test_in_a_graph_of_unknown_shapes_and_whatever_the_batch():
    model = Constrained(tiny.new_model(SYMBOLS), NoneTwice())
    in_graph = tf.function(
        lambda source, size: greedy(model, source, size),
        input_signature=[
            tf.TensorSpec([None, None], tf.int32),
            tf.TensorSpec([None], tf.int32),
        ],
        autograph=False,
    )
    source, size = sources(3, 0, 4), np.array([6, 2, 5], np.int32)
    together = in_graph(source, size)
    assert together.symbols.numpy().any(axis=1).all()
    for row, n in enumerate(size):
        alone = in_graph(source[row : row + 1, :n], size[row : row + 1])
        np.testing.assert_array_equal(together.symbols[row, :n], alone.symbols[0])
        np.testing.assert_allclose(
            together.log_probability[row], alone.log_probability[0], atol=1e-5
        )
