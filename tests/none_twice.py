"""A constraint, and logits of a Markov chain, for the tests of constrained decoding."""

from typing import NamedTuple

import numpy as np
from keras import ops

from neural_gpu_tf.constants import EOS

SYMBOLS = 8


class Said(NamedTuple):
    said: object  # [h, v]: how often
    most: object  # [h]: symbols that may be said


class NoneTwice:
    """Says no symbol twice, just as many as the source has 5s, and then EOS."""

    def __init__(self, symbols=SYMBOLS):
        self.symbols = symbols
        self.heard = []

    def start(self, source, size):
        most = ops.sum(ops.cast(source == 5, "int32"), axis=1)
        return Said(ops.zeros((ops.shape(source)[0], self.symbols), "int32"), most)

    def allowed(self, state, t):
        over = ops.sum(state.said, axis=1) >= state.most
        ends = ops.arange(self.symbols) == EOS
        fresh = ops.logical_and(state.said == 0, ops.logical_not(ends))
        return ops.where(over[:, None], ends[None, :], fresh)

    def advance(self, state, symbol):
        self.heard.append(symbol)
        heard = ops.one_hot(symbol, self.symbols, dtype="int32")
        outputs = ops.cast(ops.arange(self.symbols) >= EOS, "int32")
        return state._replace(said=state.said + heard * outputs)


def table(seed=0, scale=2.0):
    logits = np.random.default_rng(seed).normal(size=(SYMBOLS, SYMBOLS)) * scale
    return logits.astype(np.float32)
