import numpy as np
import oracles
import pytest
import tensorflow as tf
from composed import loop

from neural_gpu_tf.layers import ActiveMemoryDecoder, TapeCGRU

SIZES = np.array([5, 3, 1], "int32")


def decoder(**kwargs):
    return oracles.randomize(loop(ActiveMemoryDecoder, TapeCGRU, **kwargs))


def vectors(seed=1):
    return np.random.default_rng(seed).standard_normal((3, 5, 3)).astype("float32")


def steps(layer, canvas, size, target):
    """The states and what is read, step by step."""
    state = layer.start(canvas, size)
    states, readouts = [state], []
    for t in range(canvas.shape[1]):
        previous = target[:, t - 1]  # at t = 0 another column: it must not matter
        state, readout = layer.step(state, previous, t)
        states.append(state)
        readouts.append(readout)
    return states, np.stack(readouts, axis=1)


@pytest.mark.parametrize(
    "width, kernel_size, cutoff, layers",
    [
        (1, (3, 1), 1.2, 2),
        (1, (5, 3), 1.0, 1),
        (2, (5, 5), 1.2, 1),
        (2, (3, 3), 1.0, 3),
        (4, (5, 3), 1.2, 2),
    ],
)
def test_is_the_equation(width, kernel_size, cutoff, layers):
    """Both ways, and the canvas of every step; then examples hold their state."""
    layer = decoder(kernel_size=kernel_size, cutoff=cutoff, layers=layers)
    units = [oracles.unit_weights(unit) for unit in layer.units]
    canvas, target = oracles.ragged_canvas(SIZES, 5, width, 3), vectors()
    forced = np.array(layer(canvas, target, SIZES))
    states, stepped = steps(layer, canvas, SIZES, target)
    for b, n in enumerate(SIZES):
        canvases, readouts = oracles.decoder(canvas[b, :n], target[b], units, cutoff)
        np.testing.assert_allclose(forced[b, :n], readouts, atol=1e-5)
        np.testing.assert_allclose(stepped[b, :n], readouts, atol=1e-5)
        for t, state in enumerate(states[1:]):
            got = np.swapaxes(state.canvas[b], 0, 1)
            held = canvases[min(t, n - 1)]
            np.testing.assert_allclose(got[:n], held, atol=1e-5)
            assert not got[n:].any()
        assert not forced[b, n:].any() and not stepped[b, n:].any()


def test_a_vector_is_seen_after_its_step_and_never_before():
    layer, canvas = decoder(), oracles.ragged_canvas([5] * 3, 5, 2, 3)
    size = np.full(3, 5)
    before = np.array(layer(canvas, vectors(), size))
    for t in range(5):
        other = vectors()
        other[:, t] = vectors(seed=2)[:, t]
        difference = np.abs(layer(canvas, other, size) - before).max(axis=(0, 2))
        assert not difference[: t + 1].any()
        assert (difference[t + 1 :] > 1e-4).all()


def test_what_lies_beyond_the_size_does_not_matter():
    layer, canvas = decoder(), oracles.ragged_canvas(SIZES, 5, 2, 3)
    beyond = np.arange(5) >= SIZES[:, None]
    dirty = canvas + 3 * beyond[:, :, None, None].astype("float32")
    last = np.arange(5) >= SIZES[:, None] - 1  # the last vector is not read either
    target = np.where(last[:, :, None], vectors(seed=2), vectors())
    np.testing.assert_array_equal(
        layer(dirty, target, SIZES), layer(canvas, vectors(), SIZES)
    )
    stepped = [steps(layer, x, SIZES, vectors())[1] for x in (dirty, canvas)]
    np.testing.assert_array_equal(*stepped)


def test_bfloat16_runs_both_ways():
    layer = decoder(dtype="mixed_bfloat16")
    canvas, target = oracles.ragged_canvas(SIZES, 5, 2, 3), vectors()
    forced = layer(canvas, target, SIZES)
    state = layer.start(forced[:, :, None] * 0 + 1, SIZES)
    state, readout = layer.step(state, forced[:, 0], 0)
    assert forced.dtype == state.canvas.dtype == readout.dtype == "bfloat16"
    exact = decoder()(canvas, target, SIZES)
    np.testing.assert_allclose(np.array(forced, "float32"), exact, atol=0.1)


def test_dropout_is_for_training_only():
    layer, plain = decoder(dropout=0.5, seed=1), decoder()
    canvas, target = oracles.ragged_canvas(SIZES, 5, 2, 3), vectors()
    expected = plain(canvas, target, SIZES)
    np.testing.assert_array_equal(layer(canvas, target, SIZES), expected)
    first = layer(canvas, target, SIZES, training=True)
    second = layer(canvas, target, SIZES, training=True)
    assert np.abs(first - expected).max() > 0.01
    assert np.abs(first - second).max() > 0.01
    states, stepped = steps(layer, canvas, SIZES, target)
    np.testing.assert_allclose(stepped, expected, atol=1e-5)


def test_checkpointing_on_a_canvas_of_width_1():
    """In a graph without shapes: a unit may forget the width."""
    target, canvas = vectors(), np.random.default_rng(2).normal(size=(3, 5, 1, 3))

    def gradients(**options):
        layer = oracles.randomize(ActiveMemoryDecoder([TapeCGRU(3)], **options), 3)
        weights = [weight.value for weight in layer.trainable_variables]

        @tf.function(
            input_signature=[
                tf.TensorSpec([None, None, 1, 3]),
                tf.TensorSpec([None, None, 3]),
                tf.TensorSpec([None], tf.int32),
            ],
            autograph=False,
        )
        def found(canvas, target, size):
            with tf.GradientTape() as tape:
                outputs = layer(canvas, target, size, training=True)
            return tape.gradient(outputs, weights)

        return found(tf.constant(canvas, tf.float32), target, SIZES)

    pairs = zip(gradients(), gradients(gradient_checkpointing=True), strict=True)
    for expected, value in pairs:
        np.testing.assert_allclose(value, expected, atol=1e-5)


def test_vectors_of_other_numbers_than_maps_are_refused():
    layer = ActiveMemoryDecoder(TapeCGRU(6))
    canvas, vectors = np.ones((2, 5, 1, 6)), np.ones((2, 5, 4))
    with pytest.raises(ValueError, match="have 4 components, the canvas 6 maps"):
        layer(canvas, vectors, np.array([5, 5]))
