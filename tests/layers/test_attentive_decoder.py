import keras
import numpy as np
import oracles
import oracles_hybrid
import pytest
import tensorflow as tf
from composed import loop

from neural_gpu_tf.layers import ActiveMemoryDecoder, AttentiveDecoder, TapeCGRU

SIZES = np.array([5, 3, 1], "int32")


def decoder(**kwargs):
    layer = loop(AttentiveDecoder, TapeCGRU, **kwargs)
    return oracles.randomize(layer, scale=0.6)


def vectors(dtype="float32"):
    return np.random.default_rng(1).standard_normal((3, 5, 3)).astype(dtype)


def steps(layer, canvas, target):
    """What is read and the weights, step by step, in plain calls."""
    state = layer.start(canvas, SIZES)
    readouts, weights = [], []
    for t in range(canvas.shape[1]):
        state, readout = layer.step(state, target[:, t - 1], t)
        readouts.append(readout)
        weights.append(state.attention)
    return tf.stack(readouts, axis=1), tf.stack(weights, axis=1)


@pytest.mark.parametrize(
    "width, kernel_size, cutoff, layers",
    [(1, (3, 1), 1.2, 2), (2, (5, 3), 1.0, 1), (4, (3, 3), 1.2, 2)],
)
def test_is_the_equation(width, kernel_size, cutoff, layers):
    """Teacher-forced, step by step, and the alignments."""
    layer = decoder(kernel_size=kernel_size, cutoff=cutoff, layers=layers)
    weights = oracles_hybrid.decoder_weights(layer)
    canvas, target = oracles.ragged_canvas(SIZES, 5, width, 3), vectors()
    forced = np.array(layer(canvas, target, SIZES))
    alignments = np.array(layer.alignments(canvas, target, SIZES))
    stepped, looked = steps(layer, canvas, target)
    for b, n in enumerate(SIZES):
        readouts, alpha = oracles_hybrid.decoder(
            canvas[b, :n].astype("float64"), target[b], weights, cutoff
        )
        np.testing.assert_allclose(forced[b, :n], readouts, atol=1e-5)
        np.testing.assert_allclose(stepped[b, :n], readouts, atol=1e-5)
        np.testing.assert_allclose(alignments[b, :n, :n], alpha, atol=1e-5)
        np.testing.assert_allclose(looked[b, :n, :n], alpha, atol=1e-5)
        assert not forced[b, n:].any()
        rest = alignments[b].copy()
        rest[:n, :n] = 0
        assert not rest.any()


@pytest.mark.parametrize(
    "width, layers, gradient_checkpointing",
    [(1, 2, False), (3, 1, True)],
)
def test_gradient_is_that_of_plain_calls(width, layers, gradient_checkpointing):
    """Of the hand-written loop, in double precision, for inputs and weights."""
    layer = decoder(
        layers=layers, gradient_checkpointing=gradient_checkpointing, dtype="float64"
    )
    canvas = tf.constant(oracles.ragged_canvas(SIZES, 5, width, 3, dtype="float64"))
    target = tf.constant(vectors("float64"))
    cotangent = vectors("float64")[::-1] * (np.arange(5) < SIZES[:, None])[:, :, None]

    def gradients(run):
        weights = [weight.value for weight in layer.trainable_weights]
        with tf.GradientTape() as recording:
            recording.watch([canvas, target])
            loss = tf.reduce_sum(run() * cotangent)
        return recording.gradient(loss, [canvas, target, *weights])

    got = gradients(tf.function(lambda: layer(canvas, target, SIZES, training=True)))
    expected = gradients(lambda: steps(layer, canvas, target)[0])
    exists = (np.arange(5) < SIZES[:, None])[:, :, None, None]
    for i, (a, b) in enumerate(zip(got, expected, strict=True)):
        # No canvas has anything beyond its size, and no gradient is asked for there.
        np.testing.assert_allclose(a, b * exists if i == 0 else b, atol=1e-10)
        assert np.abs(b).max() > 1e-4


def test_gradient_is_the_slope_under_dropout():
    layer = decoder(dropout=0.3, seed=1, dtype="float64")
    canvas = oracles.ragged_canvas(SIZES, 5, 2, 3, dtype="float64")
    seed = keras.ops.copy(layer.seed_generator.state.value)

    def loss():
        layer.seed_generator.state.assign(seed)
        out = layer(canvas, vectors("float64"), SIZES, training=True)
        return tf.reduce_sum(tf.sin(3 * out))

    with tf.GradientTape() as recording:
        value = loss()
    gradients = recording.gradient(value, layer.trainable_weights)
    norm = np.sqrt(sum(np.sum(tf.square(g)) for g in gradients))
    sides = []
    for h in (1e-5, -2e-5):
        for weight, gradient in zip(layer.trainable_weights, gradients, strict=True):
            weight.assign_add(h / norm * gradient)
        sides.append(loss())
    np.testing.assert_allclose((sides[0] - sides[1]) / 2e-5, norm, rtol=1e-6)
    assert norm > 1e-2


def test_without_r_it_is_the_decoder_without_attention():
    layer, plain = decoder(layers=1), loop(ActiveMemoryDecoder, TapeCGRU, layers=1)
    canvas, target = oracles.ragged_canvas(SIZES, 5, 2, 3), vectors()
    plain.units[0].set_weights(layer.units[0].get_weights())
    expected = plain(canvas, target, SIZES)
    assert np.abs(layer(canvas, target, SIZES) - expected).max() > 0.01
    layer.read_kernel.assign(np.zeros((3, 3)))
    np.testing.assert_allclose(layer(canvas, target, SIZES), expected, atol=1e-6)
