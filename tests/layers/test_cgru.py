import keras
import numpy as np
import oracles
import pytest
import tensorflow as tf

from neural_gpu_tf.layers import CGRU
from neural_gpu_tf.layers.canvas import by_rows


@pytest.mark.parametrize("cutoff", [1.0, 1.2])
@pytest.mark.parametrize("kernel_size", [(3, 3), (5, 5), (5, 3), (3, 1)])
@pytest.mark.parametrize("width", [1, 2, 4])
def test_is_the_equation(width, kernel_size, cutoff):
    layer = CGRU(maps=3, kernel_size=kernel_size, cutoff=cutoff)
    layer.build()
    k = oracles.unit_weights(oracles.randomize(layer))
    canvas = oracles.ragged_canvas([4, 4], 4, width, 3)
    expected = [oracles.cgru(s, k, cutoff) for s in canvas]
    np.testing.assert_allclose(layer(canvas), expected, atol=1e-5)


def test_inactive_cells_keep_their_value():
    layer = CGRU(maps=3)
    layer.build()
    oracles.randomize(layer)
    canvas = oracles.ragged_canvas([4, 4], 4, 2, 3)
    active = np.zeros((2, 4, 1, 1), "float32")
    active[0, 1] = 1
    new, free = np.array(layer(canvas, active=active)), np.array(layer(canvas))
    np.testing.assert_allclose(new[0, 1], free[0, 1], atol=1e-6)
    new[0, 1] = canvas[0, 1]
    np.testing.assert_array_equal(new, canvas)


@pytest.mark.parametrize("cutoff", [1.0, 1.2])
def test_backward_is_the_gradient_of_forward(cutoff):
    """Against TensorFlow's own gradient of the same equations, every one of them."""
    layer = CGRU(maps=4, kernel_size=(5, 3), cutoff=cutoff, dtype="float64")
    layer.build()
    oracles.randomize(layer, scale=0.6)
    canvas = tf.constant(oracles.ragged_canvas([5, 3], 5, 2, 4, dtype="float64"))
    canvas = by_rows(canvas)
    rng = np.random.default_rng(1)
    active = rng.integers(0, 2, (2, 1, 5, 1)).astype("float64")
    gradient = rng.standard_normal(canvas.shape)

    kernels, terms = layer.kernels(), layer.biases()
    with tf.GradientTape() as recording:
        recording.watch([canvas, *kernels, *terms])
        new, record, _ = layer.forward_step(kernels, terms, canvas, active)
    expected = recording.gradient(new, [canvas, *kernels, *terms], gradient)
    gates = np.array([record.change, record.reset])
    if cutoff > 1:  # the point of the test: some gates are cut off, some not
        assert (gates == 0).any() and (gates == 1).any()
    assert ((gates > 0) & (gates < 1)).any()

    d_canvas, d_terms = layer.backward_step(
        layer.adjoint(kernels), record, active, gradient
    )
    got = [
        d_canvas,
        *keras.tree.flatten(layer.weight_gradients(kernels, record, d_terms)),
    ]
    for a, b in zip(got, expected, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-10)


def test_update_reset_and_candidate_kernels_start_apart():
    layer = CGRU(maps=5)
    layer.build()
    k = oracles.unit_weights(layer)
    for a, b in [(k.U1, k.U2), (k.U1, k.U), (k.U2, k.U)]:
        assert abs(a - b).max() > 0.05


def test_the_fans_of_a_gate_kernel_are_those_of_one_gate():
    layer = CGRU(maps=16)
    layer.build()
    k = oracles.unit_weights(layer)
    limit = np.sqrt(6 / (2 * 9 * 16))  # Glorot: fan in = fan out = 3 · 3 · 16
    for kernel in (k.U1, k.U2, k.U):
        assert 0.98 * limit < abs(kernel).max() <= limit


def test_biases_start_as_told():
    layer = CGRU(maps=2, gate_bias=0.7)
    layer.build()
    k = oracles.unit_weights(layer)
    np.testing.assert_allclose([*k.B1, *k.B2, *k.B], [0.7] * 4 + [0] * 2, rtol=1e-6)


def test_weights_follow_from_the_random_seed():
    drawn = []
    for _ in range(2):
        keras.utils.set_random_seed(3)
        layer = CGRU(maps=2, kernel_initializer=keras.initializers.Orthogonal(1.4))
        layer.build()
        drawn.append(layer.get_weights())
    for a, b in zip(*drawn, strict=True):
        np.testing.assert_array_equal(a, b)


def test_even_kernel_sizes_are_refused():
    with pytest.raises(ValueError, match="must be one odd whole number"):
        CGRU(maps=2, kernel_size=(4, 3))
