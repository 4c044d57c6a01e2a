"""Convolutions of a canvas by rows, and their gradients, for each backend.

A canvas of width 1 has no rows beside it. There a convolution is one matrix product of
each cell's neighbours along the columns: on a CPU for TensorFlow's kernel gradient,
under JAX for all, which so stays a matrix product when several models are mapped over
(`jax.vmap`), where a convolution becomes a grouped one.
"""

import keras
from keras import ops

from neural_gpu_tf.layers.loops import transposed_product
from neural_gpu_tf.types import Tensor

_BACKEND = keras.backend.backend()
if _BACKEND == "tensorflow":
    import tensorflow as tf
elif _BACKEND == "jax":
    import jax


def convolve(x: Tensor, kernel: Tensor) -> Tensor:
    """x * kernel, zero padding, stride 1.

    Args:
        x: [batch, w, n, m].
        kernel: [kw, kn, m, m'].

    Returns:
        [batch, w, n, m'].
    """
    if _BACKEND == "jax" and kernel.shape[0] == 1:
        _, columns, maps, others = kernel.shape
        matrix = ops.reshape(kernel, (columns * maps, others))
        return ops.matmul(_neighbours(x, columns), matrix)
    return ops.conv(x, kernel, padding="same", data_format="channels_last")


def convolve_each_map(x: Tensor, kernel: Tensor) -> Tensor:
    """The convolution of each map alone along the columns, zero padding, stride 1.

    Args:
        x: [batch, w, n, m].
        kernel: [kn, m].

    Returns:
        [batch, w, n, m].
    """
    if _BACKEND == "jax":
        parts = _shifted(x, kernel.shape[0])
        return sum(part * tap for part, tap in zip(parts, kernel, strict=True))
    return ops.depthwise_conv(
        x, kernel[None, :, :, None], padding="same", data_format="channels_last"
    )


def kernel_gradient(x: Tensor, gradient: Tensor, kernel: Tensor) -> Tensor:
    """d<gradient, x * kernel>/d kernel, of the shape of `kernel`."""
    if kernel.shape[0] == 1:
        product = transposed_product(_neighbours(x, kernel.shape[1]), gradient)
        return ops.reshape(product, kernel.shape)
    if _BACKEND == "jax":
        _, pull_back = jax.vjp(lambda k: convolve(x, k), kernel)
        return pull_back(gradient)[0]
    return tf.raw_ops.Conv2DBackpropFilter(
        input=x,
        filter_sizes=tf.shape(kernel),
        out_backprop=gradient,
        strides=[1, 1, 1, 1],
        padding="SAME",
    )


def _neighbours(x: Tensor, count: int) -> Tensor:
    """Of each cell the `count` around it along the columns: [batch, w, n, count·m]."""
    return ops.concatenate(_shifted(x, count), axis=-1)


def _shifted(x: Tensor, count: int) -> list[Tensor]:
    """The canvas with column k + i - ⌊count/2⌋ in column k, for i = 0 … count - 1."""
    columns, half = ops.shape(x)[2], count // 2
    padded = ops.pad(x, [[0, 0], [0, 0], [half, half], [0, 0]])
    return [padded[:, :, i : i + columns] for i in range(count)]
