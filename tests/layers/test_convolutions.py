from pathlib import Path

import numpy as np
import oracles
import pytest
import tensorflow as tf
from backend_process import BACKENDS, output_under

from neural_gpu_tf.layers.canvas import transposed_kernel
from neural_gpu_tf.layers.convolutions import (
    convolve,
    convolve_each_map,
    kernel_gradient,
)


def random(*shape):
    return np.random.default_rng(2).standard_normal(shape)


@pytest.mark.parametrize("kernel_size", [(3, 3), (3, 5), (1, 3), (1, 5), (5, 1)])
@pytest.mark.parametrize("width", [1, 2, 4])
def test_convolution_and_its_adjoints(width, kernel_size):
    """<x * K, y> = <x, y * K'> = <K, kernel_gradient(x, y)>."""
    x, y = random(2, 4, width, 3), random(2, 4, width, 5)[::-1].copy()
    kernel = random(*kernel_size, 3, 5)
    convolved = np.array(convolve(x, kernel))
    for got, example in zip(convolved, x, strict=True):
        np.testing.assert_allclose(got, oracles.convolve(example, kernel), atol=1e-10)
    inner = np.sum(convolved * y)
    back = np.array(convolve(y, transposed_kernel(kernel)))
    np.testing.assert_allclose(np.sum(back * x), inner)
    gradient = np.array(kernel_gradient(tf.constant(x), y, tf.constant(kernel)))
    assert gradient.shape == kernel.shape
    np.testing.assert_allclose(np.sum(gradient * kernel), inner)
    for index in np.ndindex(*kernel_size):  # each slice, by linearity
        alone = np.zeros_like(kernel)
        alone[index] = kernel[index]
        np.testing.assert_allclose(
            np.sum(gradient * alone),
            np.sum(np.array(convolve(x, alone)) * y),
            atol=1e-9,
        )


def test_the_convolution_of_each_map_alone():
    """As the convolution whose kernel has the taps on its diagonals."""
    x, taps = random(2, 4, 2, 3), random(5, 3)
    kernel = np.zeros((1, 5, 3, 3))
    for i, row in enumerate(taps):
        kernel[0, i] = np.diag(row)
    got = np.array(convolve_each_map(tf.constant(x), tf.constant(taps)))
    for one, example in zip(got, x, strict=True):
        np.testing.assert_allclose(one, oracles.convolve(example, kernel), atol=1e-10)


@pytest.mark.parametrize("backend", BACKENDS)
def test_under_other_backends_they_are_the_same(backend, tmp_path):
    """Under JAX also of several models at once."""
    x, y, kernel = random(2, 4, 3, 3), random(2, 4, 3, 5)[::-1], random(1, 3, 3, 5)
    wide, taps = random(3, 3, 3, 5), random(3, 3)
    given, file = (
        dict(x=x, y=y, kernel=kernel, wide=wide, taps=taps),
        tmp_path / "x.npz",
    )
    np.savez(file, **{name: np.float32(value) for name, value in given.items()})
    script = Path(__file__).with_name("convolutions_under.py")
    output_under(backend, str(script), str(file))
    found = np.load(file)
    expected = {
        "convolved": convolve(x, kernel),
        "convolved_wide": convolve(x, wide),
        "each_map": convolve_each_map(tf.constant(x), tf.constant(taps)),
        "gradient": kernel_gradient(tf.constant(x), y.copy(), tf.constant(kernel)),
        "gradient_wide": kernel_gradient(tf.constant(x), y.copy(), tf.constant(wide)),
        "twice": convolve(-2 * x, kernel),
    }
    if backend != "jax":
        del expected["twice"]
    for name, value in expected.items():
        np.testing.assert_allclose(found[name], value, atol=1e-4, err_msg=name)
