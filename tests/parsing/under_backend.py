"""Run by test_bracket_constraint.py under another backend than TensorFlow."""

import sys

import keras
import numpy as np
from compiled import compiled

from neural_gpu_tf.decoding import greedy
from neural_gpu_tf.decoding.constraint import Constrained
from neural_gpu_tf.parsing import BracketConstraint, from_pairs

assert "tensorflow" not in sys.modules, "parsing imports TensorFlow"

symbols = [*(f"<{number}>" for number in range(260)), "c", "cat"]
symbols += ["open__S", "close__S", "open__NP", "close__NP", "tag__NN", "tag___2e"]
logits = np.random.default_rng(0).normal(size=(len(symbols), len(symbols)))


class Markov:
    sized = True
    attends = False
    answers_at_once = False

    """Logits of o_t from o_{t-1} alone."""

    def start(self, source, size):
        return size

    def stepper(self):
        return self.step

    def step(self, state, previous, t):
        return state, keras.ops.take(logits, previous, axis=0)


model = Constrained(Markov(), BracketConstraint(symbols))
source = np.array([[261, 260, 260, 261], [261, 0, 0, 0]], np.int32)
source = np.pad(source, [[0, 0], [0, 11]])
decode = compiled(lambda source, size: greedy(model, source, size))
found = decode(source, np.array([15, 9], np.int32))
assert np.array(found.finished).all()
texts = [
    " ".join(symbols[symbol] for symbol in row if symbol > 2)
    for row in np.array(found.symbols)
]
for tree in from_pairs(["cat cc cat", "cat"], texts, "memory"):
    print(tree)
print("trees")
