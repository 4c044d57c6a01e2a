"""A model's step for a loop: the same numbers, and what no step changes before it."""

import numpy as np
import oracles
import pytest
import tensorflow as tf

from neural_gpu_tf.constants import GO
from neural_gpu_tf.decoding import beam_search, greedy
from neural_gpu_tf.decoding.constraint import Constrained
from neural_gpu_tf.models import AttentionSeq2Seq, Ensemble, RNNSeq2Seq

SYMBOLS = 9
SOURCE = np.array([[3, 4, 5, 6], [7, 8, 0, 0]], np.int32)
SIZE = np.array([4, 3], np.int32)


class Anything:
    """A constraint that has none."""

    def start(self, source, size):
        return ()

    def allowed(self, state, t):
        return np.ones(SYMBOLS, bool)

    def advance(self, state, symbol):
        return ()


def model(cell="gru", kind=AttentionSeq2Seq):
    made = kind(SYMBOLS, units=4, embedding_size=6, layers=2, cell=cell)
    return oracles.randomize(made)


@pytest.fixture(scope="module")
def models():
    gru = model()
    return {
        "gru": gru,
        "lstm": model("lstm"),
        "without attention": model(kind=RNNSeq2Seq),
        "ensemble": Ensemble([gru, model()]),
        "constrained": Constrained(gru, Anything()),
    }


NAMES = ["gru", "lstm", "without attention", "ensemble", "constrained"]


@pytest.mark.parametrize("name", NAMES)
def test_it_is_the_step(models, name):
    one = models[name]
    state = one.start(SOURCE, SIZE)
    for t, symbol in enumerate((GO, 5)):
        previous = np.full(2, symbol, np.int32)
        expected = one.step(state, previous, t)
        state, logits = one.stepper()(state, previous, t)
        tf.nest.map_structure(
            lambda x, y: np.testing.assert_allclose(x, y, atol=1e-6),
            (state, logits),
            expected,
        )


def splits_of_weights(search):
    """How many times the graph of a search splits a weight: outside loops, and in."""
    graph = tf.function(search, autograph=False).get_concrete_function().graph
    counts = []
    library = [function.node_def for function in graph.as_graph_def().library.function]
    for nodes in (graph.as_graph_def().node, *library):
        weights = {node.name for node in nodes if node.op == "ReadVariableOp"}
        split = [node.input[0] for node in nodes if node.op in ("Split", "SplitV")]
        counts.append(sum(name.split(":")[0] in weights for name in split))
    return counts[0], sum(counts[1:])


@pytest.mark.parametrize("name", [name for name in NAMES if name != "lstm"])
@pytest.mark.parametrize("beam", [0, 3])
def test_no_step_of_a_search_splits_a_matrix(models, name, beam):
    def search():
        if beam:
            return beam_search(models[name], SOURCE, SIZE, beam).symbols
        return greedy(models[name], SOURCE, SIZE).symbols

    before, within = splits_of_weights(search)
    assert before >= 2 and within == 0
