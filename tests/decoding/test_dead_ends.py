"""Constraints that at some point allow nothing."""

import numpy as np
import pytest
from keras import ops
from none_twice import NoneTwice, Said, table
from scripted import Markov

from neural_gpu_tf.constants import EOS
from neural_gpu_tf.decoding import (
    beam_search,
    greedy,
    sample,
    sample_search,
    size_search,
)
from neural_gpu_tf.decoding.constraint import Constrained
from neural_gpu_tf.options import DecodingConfig, SamplingConfig


class DeadEnd(NoneTwice):
    """Allows nothing from step 2 on where the source has a 7."""

    def start(self, source, size):
        return Said(super().start(source, size).said, ops.any(source == 7, axis=1))

    def allowed(self, state, t):
        dead = ops.logical_and(state.most, t >= 2)
        ends = ops.arange(self.symbols) == EOS
        usual = ops.where(t < 3, ops.logical_not(ends), ends)
        return ops.where(dead[:, None], False, usual[None, :])


@pytest.mark.parametrize(
    "search",
    [
        greedy,
        lambda *args: beam_search(*args, 1).best,
        lambda *args: sample(*args, np.full((2, 5), 0.3), SamplingConfig()),
    ],
)
def test_where_nothing_is_allowed_there_is_no_output(search):
    source = np.array([[5, 5, 5, 7, 4], [5, 5, 5, 5, 4]], np.int32)
    model = Constrained(Markov(table()), DeadEnd())
    outputs = search(model, source, np.array([5, 5]))
    assert np.array(outputs.finished).tolist() == [False, True]
    assert not np.any(outputs.symbols[0])
    assert np.array(outputs.log_probability)[0] == -np.inf
    assert np.array(outputs.size).tolist() == [0, 5]


@pytest.mark.parametrize("beam", [1, 2])
def test_where_no_size_has_an_output_there_is_none(beam):
    source = np.array([[5, 7, 4], [5, 5, 4], [0, 0, 0]], np.int32)
    model = Constrained(Markov(table()), DeadEnd())
    outputs = size_search(
        model, source, np.array([3, 3, 0]), DecodingConfig(beam=beam, sizes="all")
    )
    assert np.array(outputs.size)[0] == 0 < np.array(outputs.size)[1]
    assert np.array(outputs.finished).tolist() == [False, True, False]
    assert not np.any(outputs.symbols[0])
    assert np.array(outputs.log_probability)[[0, 2]].tolist() == [-np.inf, 0.0]


class OneSymbolIsDead(DeadEnd):
    """Behind one symbol, or any if it is 0, nothing is allowed."""

    def __init__(self, symbol):
        super().__init__()
        self.symbol = symbol

    def start(self, source, size):
        state = super().start(source, size)
        return state._replace(most=ops.zeros_like(source[:, 0], dtype="bool"))

    def allowed(self, state, t):
        return super().allowed(state, t + 2 * ops.cast(t > 0, "int32"))

    def advance(self, state, symbol):
        dead = symbol == self.symbol if self.symbol else symbol >= EOS
        return state._replace(most=ops.logical_or(state.most, dead))


def test_where_greedy_decoding_is_dead_there_are_draws():
    source, model = np.full((40, 3), 5, np.int32), Markov(table(scale=0.5))
    first = int(greedy(model, source[:1], np.array([3])).symbols[0, 0])
    assert first > EOS
    uniform = np.random.default_rng(0).random((40, 9), np.float32)

    def drawn(symbol):
        return sample_search(
            Constrained(model, OneSymbolIsDead(symbol)),
            source,
            np.full(40, 3),
            lambda n: uniform[:, : int(n)],
            DecodingConfig(),
            SamplingConfig(),
        )

    some = drawn(first)
    ended, there = np.array(some.finished), np.array(some.log_probability) > -np.inf
    assert 20 < ended.sum() < 40
    np.testing.assert_array_equal(ended, there)
    assert not np.any(np.array(some.symbols)[:, 0] == first)
    nothing = drawn(0)
    assert (np.array(nothing.log_probability) == -np.inf).all()
    assert not np.any(nothing.symbols) and not np.any(nothing.finished)
