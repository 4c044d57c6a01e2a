import numpy as np
import pytest
import tensorflow as tf

from neural_gpu_tf.models.losses import cross_entropy


def oracle(logits, target, counted, smoothing):
    """The equation of the docstring, symbol by symbol."""
    logits = logits.astype("float64")
    total = 0.0
    for place in np.ndindex(target.shape):
        if not counted[place]:
            continue
        p = np.exp(logits[place]) / np.exp(logits[place]).sum()
        even = np.log(p).mean()
        total -= (1 - smoothing) * np.log(p[target[place]]) + smoothing * even
    return total


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("dtype, tolerance", [("float32", 1e-5), ("bfloat16", 1e-2)])
def test_it_is_the_equation(smoothing, dtype, tolerance):
    rng = np.random.default_rng(0)
    logits = tf.cast(3 * rng.standard_normal((3, 4, 6)), dtype)
    target = np.array([[5, 2, 0, 0], [3, 0, 0, 0], [1, 4, 2, 5]])
    counted = target != 0
    nats = cross_entropy(logits, target, smoothing)
    expected = oracle(tf.cast(logits, "float64").numpy(), target, counted, smoothing)
    assert nats.dtype == "float32"
    np.testing.assert_allclose(nats.numpy()[counted].sum(), expected, rtol=tolerance)


def test_smoothing_is_least_at_the_smoothed_distribution():
    smoothed = np.full(4, 0.1 / 4) + 0.9 * np.eye(4)[2]
    logits = tf.Variable(np.log(smoothed)[None, None].astype("float32"))
    with tf.GradientTape() as tape:
        loss = cross_entropy(logits, [[2]], 0.1)
    np.testing.assert_allclose(tape.gradient(loss, logits), 0, atol=1e-6)
