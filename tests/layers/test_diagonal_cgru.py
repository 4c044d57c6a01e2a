import keras
import numpy as np
import oracles
import pytest
import tensorflow as tf

from neural_gpu_tf.layers import DiagonalCGRU
from neural_gpu_tf.layers.canvas import by_rows
from neural_gpu_tf.layers.canvas_unit import Keep
from neural_gpu_tf.layers.diagonal_cgru import shift


@pytest.mark.parametrize("width, kernel_size, maps", [(1, (3, 1), 3), (2, (5, 3), 5)])
def test_is_the_equation(width, kernel_size, maps):
    layer = DiagonalCGRU(maps, kernel_size=kernel_size)
    layer.build()
    k = oracles.unit_weights(oracles.randomize(layer, scale=0.6))
    canvas = oracles.ragged_canvas([4, 4], 4, width, maps)
    expected = [oracles.diagonal_cgru(s, k) for s in canvas]
    np.testing.assert_allclose(layer(canvas), expected, atol=1e-5)
    rows = by_rows(tf.constant(canvas))
    cost = layer.forward_step(layer.kernels(), layer.biases(), rows, 1.0)[2]
    expected = [oracles.saturation(s, k) for s in canvas]
    assert min(expected) > 0
    np.testing.assert_allclose(cost, expected, rtol=1e-5)


def test_shift_moves_a_third_on_and_a_third_back():
    canvas = np.arange(1, 4.0).reshape(1, 1, 3, 1) * np.ones(4)
    moved = np.array(shift(tf.constant(canvas)))[0, 0]
    np.testing.assert_array_equal(
        moved, np.transpose([[1, 2, 3], [1, 2, 3], [0, 1, 2], [2, 3, 0]])
    )


def test_shift_back_is_the_adjoint():
    x, y = np.random.default_rng(0).standard_normal((2, 2, 5, 3, 8))
    forth, back = shift(tf.constant(x)), shift(tf.constant(y), back=True)
    np.testing.assert_allclose(np.sum(forth * y), np.sum(x * back))
    assert np.abs(np.sum(forth * y) - np.sum(x * y)) > 0.1


@pytest.mark.parametrize("rate", [0.0, 0.5])
def test_backward_is_the_gradient_of_forward(rate):
    """Against TensorFlow's own gradient of the same equations, every one of them."""
    layer = DiagonalCGRU(4, kernel_size=(5, 3), dtype="float64")
    layer.build()
    oracles.randomize(layer, scale=0.5)
    canvas = tf.constant(oracles.ragged_canvas([5, 3], 5, 2, 4, dtype="float64"))
    canvas = by_rows(canvas)
    rng = np.random.default_rng(1)
    active = rng.integers(0, 2, (2, 1, 5, 1)).astype("float64")
    gradient, on_cost = rng.standard_normal(canvas.shape), rng.standard_normal(2)
    keep = Keep(rng.random(canvas.shape) >= rate, 1 / (1 - rate)) if rate else None

    kernels, terms = layer.kernels(), layer.biases()
    with tf.GradientTape() as recording:
        recording.watch([canvas, *kernels, *terms])
        new, record, cost = layer.forward_step(kernels, terms, canvas, active, keep)
    expected = recording.gradient(
        [new, cost], [canvas, *kernels, *terms], [gradient, on_cost]
    )
    for value in (record.update, record.reset, record.candidate):
        value = value.numpy()  # the point of the test: some saturate, some do not
        assert (value == 0).any() and (value == 6).any()
        assert ((value > 0) & (value < 6)).any()

    d_canvas, d_terms = layer.backward_step(
        layer.adjoint(kernels), record, active, gradient, keep, on_cost
    )
    got = [
        d_canvas,
        *keras.tree.flatten(layer.weight_gradients(kernels, record, d_terms)),
    ]
    for a, b in zip(got, expected, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-10)


def test_gates_start_more_open_than_shut():
    layer = DiagonalCGRU(2)
    layer.build()
    k = oracles.unit_weights(layer)
    np.testing.assert_allclose([*k.B1, *k.B2, *k.B], [0.7] * 2 + [0.5] * 2 + [0] * 2)
