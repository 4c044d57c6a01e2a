"""Models with known outputs, for the tests of decoding."""

from typing import NamedTuple

import numpy as np
from keras import ops


class State(NamedTuple):
    source: object  # [batch, n]
    size: object  # [batch]


class Model:
    """A model of no canvas search, attention or answers at once, unless it says so."""

    sized = True
    attends = False
    answers_at_once = False

    def stepper(self):
        return self.step


class Markov(Model):
    """log p(v | o_{t-1}) from a table [v, v]; notes what it is asked."""

    def __init__(self, log_p):
        self.log_p = np.asarray(log_p, np.float32)
        self.inputs = []

    def start(self, source, size):
        return State(source, size)

    def step(self, state, previous, t):
        self.inputs.append(np.array(previous).tolist())
        return state, ops.take(self.log_p, previous, axis=0)


class BySize(Model):
    """Says the same on every canvas of a size, whatever the source.

    Args:
        scripts: size to ((symbol, probability), ...); what is left of the probability
            is GO's. Sizes that are not here say symbol 3 with probability 0.1 forever.
    """

    def __init__(self, scripts, symbols=10, longest=20):
        p = np.full((longest + 1, longest, symbols), 1e-9)
        p[:, :, 3] = 0.1
        p[:, :, 1] = 0.9
        for size, script in scripts.items():
            p[size] = 1e-9
            for t, (symbol, probability) in enumerate(script):
                p[size, t, symbol] = probability
                p[size, t, 1] = 1 - probability
        self.logits = np.log(p).astype(np.float32)
        self.packs = []

    def start(self, source, size):
        self.packs.append((tuple(source.shape), np.array(size).tolist()))
        return State(source, size)

    def step(self, state, previous, t):
        return state, ops.take(ops.take(self.logits, state.size, axis=0), t, axis=1)


class NeverCalled(Model):
    """Fails when it is asked anything."""

    def start(self, source, size):
        raise AssertionError("the model was called")
