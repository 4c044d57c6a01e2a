import keras
import numpy as np
import oracles
import pytest
from keras import ops

from neural_gpu_tf.constants import SCORINGS
from neural_gpu_tf.layers.fixed_memory import FixedMemory
from neural_gpu_tf.layers.memory_lookup import MemoryLookup

RNG = np.random.default_rng(0)
QUERY = RNG.standard_normal((3, 4)).astype("float32")
ROWS = RNG.standard_normal((3, 5, 2)).astype("float32")
EXISTS = np.array([[1, 1, 1, 1, 1], [0, 1, 0, 1, 1], [0, 0, 0, 0, 0]], bool)


def lookup(scoring, **kwargs):
    layer = MemoryLookup(scoring, **kwargs)
    layer.build((None, 4), (None, 5, 2))
    return oracles.randomize(layer, scale=1.0)


@pytest.mark.parametrize("scoring", SCORINGS)
def test_is_the_equation(scoring):
    layer = lookup(scoring)
    context, weights = layer(QUERY, ROWS, EXISTS)
    scores = QUERY @ np.array(layer.kernel)
    if scoring == "softmax":
        e = np.exp(scores) * EXISTS
        beta = e / np.maximum(e.sum(-1, keepdims=True), 1e-30)
    else:
        beta = EXISTS / (1 + np.exp(-scores))
    np.testing.assert_allclose(weights, beta, atol=1e-6)
    np.testing.assert_allclose(context, np.einsum("bk,bkd->bd", beta, ROWS), atol=1e-5)


@pytest.mark.parametrize("scoring", SCORINGS)
def test_the_weights_do_not_consult_the_memory(scoring):
    layer = lookup(scoring)
    context, weights = layer(QUERY, ROWS)
    other_context, others = layer(QUERY, ROWS[::-1] + 1.0)
    np.testing.assert_array_equal(weights, others)
    assert np.abs(context - other_context).min() > 1e-3


def test_large_scores_overflow_nothing():
    layer = lookup("softmax")
    _, weights = layer(1e4 * QUERY, ROWS)
    np.testing.assert_allclose(ops.sum(weights, axis=-1), 1.0, rtol=1e-6)


def test_where_the_likeliest_row_does_not_exist_the_others_share_all():
    layer = lookup("softmax")
    layer.kernel.assign(np.eye(4, 5))
    query = np.array([[200.0, 1.0, 0.0, 0.0]], "float32")
    exists = np.array([[0, 1, 1, 0, 0]], bool)
    _, weights = layer(query, ROWS[:1], exists)
    e = np.exp([1.0, 0.0])
    np.testing.assert_allclose(weights[0, 1:3], e / e.sum(), rtol=1e-5)


def test_bfloat16_keeps_the_weights_in_float32():
    context, weights = lookup("softmax", dtype="mixed_bfloat16")(QUERY, ROWS)
    assert context.dtype == "bfloat16" and weights.dtype == "float32"


def test_bad_arguments_are_named():
    for cls, arguments in ((MemoryLookup, {}), (FixedMemory, dict(contexts=2))):
        with pytest.raises(ValueError, match="scoring='max': .* softmax or sigmoid"):
            cls(**arguments, scoring="max")
    with pytest.raises(ValueError, match="needs a fixed number of rows"):
        MemoryLookup().build((None, 4), (None, None, 2))
    assert keras.saving.get_registered_name(MemoryLookup).startswith("neural_gpu_tf>")
