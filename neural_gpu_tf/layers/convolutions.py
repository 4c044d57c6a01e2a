"""Convolutions of a canvas by rows, and their gradients.

A canvas of width 1 has no rows beside it. There a convolution can be one matrix product
of each cell's neighbours along the columns: so are all kernel gradients, which on a CPU
the library is slow at, and under JAX the convolutions too.
"""

from keras import ops

from neural_gpu_tf.layers.operations import (
    CONVOLVES_NARROW,
    transposed_product,
    wide_kernel_gradient,
)
from neural_gpu_tf.types import Tensor


def convolve(x: Tensor, kernel: Tensor) -> Tensor:
    """x * kernel, zero padding, stride 1.

    Args:
        x: [batch, w, n, m].
        kernel: [kw, kn, m, m'].

    Returns:
        [batch, w, n, m'].
    """
    if kernel.shape[0] == 1 and not CONVOLVES_NARROW:
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
    if not CONVOLVES_NARROW:
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
    return wide_kernel_gradient(x, gradient, kernel)


def _neighbours(x: Tensor, count: int) -> Tensor:
    """Of each cell the `count` around it along the columns: [batch, w, n, count·m]."""
    return ops.concatenate(_shifted(x, count), axis=-1)


def _shifted(x: Tensor, count: int) -> list[Tensor]:
    """The canvas with column k + i - ⌊count/2⌋ in column k, for i = 0 … count - 1."""
    columns, half = ops.shape(x)[2], count // 2
    padded = ops.pad(x, [[0, 0], [0, 0], [half, half], [0, 0]])
    return [padded[:, :, i : i + columns] for i in range(count)]
