import keras
import numpy as np
import oracles
import oracles_recurrent
import pytest

from neural_gpu_tf.constants import SCORES
from neural_gpu_tf.layers.memory_attention import MemoryAttention

EXISTS = np.array([[1, 1, 1, 1], [0, 1, 0, 1], [0, 0, 1, 0], [0, 0, 0, 0]], bool)


def new_inputs(scale=1.0):
    rng = np.random.default_rng(0)
    query, rows = rng.standard_normal((4, 2)), rng.standard_normal((4, 4, 3))
    return scale * query.astype("float32"), scale * rows.astype("float32")


def attention(score="additive", **kwargs):
    layer = MemoryAttention(5, score, **kwargs)
    layer.build((None, 2), (None, None, 3))
    return oracles.randomize(layer)


@pytest.mark.parametrize("score", SCORES)
def test_is_the_equation(score):
    layer, (query, rows) = attention(score), new_inputs()
    k = oracles_recurrent.attention_weights(layer)
    context, weights = layer(query, rows, EXISTS)
    for b, exists in enumerate(EXISTS):
        expected, alpha = oracles_recurrent.attention(query[b], rows[b][exists], k)
        np.testing.assert_allclose(context[b], expected, atol=1e-5)
        np.testing.assert_allclose(np.array(weights[b])[exists], alpha, atol=1e-5)
        assert not np.array(weights[b])[~exists].any()


def test_a_keras_mask_of_the_rows_is_taken():
    symbols = np.array([[3, 4, 0, 5], [5, 0, 0, 0]])
    rows = keras.layers.Embedding(9, 3, mask_zero=True)(symbols)
    layer, query = attention(), new_inputs()[0][:2]
    found = layer(query, rows)
    expected = layer(query, keras.ops.copy(rows), symbols > 0)
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_array_equal(a, b)
    assert not np.array(found[1])[symbols == 0].any()


def test_all_rows_exist_unless_told():
    layer, (query, rows) = attention(), new_inputs()
    everything = np.ones((4, 4), bool)
    for a, b in zip(layer(query, rows), layer(query, rows, everything), strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("score", SCORES)
def test_large_scores_do_not_overflow(score):
    context, weights = attention(score)(*new_inputs(scale=1e6), EXISTS)
    assert np.isfinite(context).all()
    np.testing.assert_allclose(np.sum(weights, axis=1), [1, 1, 1, 0], atol=1e-6)


def test_weights_are_float32_at_least():
    for policy, dtype in [("mixed_bfloat16", "float32"), ("float64", "float64")]:
        context, weights = attention(dtype=policy)(*new_inputs(), EXISTS)
        assert weights.dtype == dtype
        assert context.dtype == policy.removeprefix("mixed_")
        exact, _ = attention()(*new_inputs(), EXISTS)
        np.testing.assert_allclose(np.array(context, "float32"), exact, atol=0.05)


def test_an_unknown_score_is_named():
    with pytest.raises(ValueError, match="'cosine'.*choose additive or dot"):
        MemoryAttention(3, "cosine")


def test_gradients_of_many_steps_are_summed_in_float32():
    """In bfloat16 1 would be lost beside 256."""
    layer = MemoryAttention(4, dtype="mixed_bfloat16")
    layer.build((None, 4), (None, 3, 4))
    keys = keras.ops.zeros((1, 3, 4), "bfloat16")
    ones, sums = keras.ops.ones_like(keys), layer.no_sums(keys)
    for _ in range(600):
        _, sums = layer.scores_backward(
            ones, keys, [ones[0, :1, :1]], ones[:, :, 0], sums
        )
    np.testing.assert_array_equal(keras.ops.cast(sums[0], "float32"), 600)
