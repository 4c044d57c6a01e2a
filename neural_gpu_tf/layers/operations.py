"""Operations that Keras does not offer, or that a backend has a faster way for."""

from typing import Any

import keras
from keras import ops

from neural_gpu_tf.layers.loops import BACKEND, gradient_of
from neural_gpu_tf.types import Tensor

if BACKEND == "tensorflow":
    import tensorflow as tf
elif BACKEND == "jax":
    import jax
else:
    import torch

_TENSORFLOW = BACKEND == "tensorflow"


def as_tensor(variable: Any, dtype: str) -> Tensor:
    """The value of a Keras variable; `ops.convert_to_tensor` may give the variable."""
    value = ops.convert_to_tensor(variable, dtype)
    return tf.convert_to_tensor(value) if _TENSORFLOW else value


def transposed_product(x: Tensor, y: Tensor) -> Tensor:
    """Σ x_i y_iᵀ over all but the last axes: [..., a] and [..., b] to [a, b]."""
    x, y = (ops.reshape(z, (-1, z.shape[-1])) for z in (x, y))
    return tf.matmul(x, y, transpose_a=True) if _TENSORFLOW else x.T @ y


def sum_of_cells(x: Tensor) -> Tensor:
    """Σ x over all but the last axis: [..., m] to [m]."""
    if not _TENSORFLOW:
        return ops.sum(x, axis=tuple(range(x.ndim - 1)))
    # On a CPU a matrix product takes half of the time that the sum does.
    x = tf.reshape(x, (-1, x.shape[-1]))
    return tf.matmul(tf.ones((1, tf.shape(x)[0]), x.dtype), x)[0]


def products(rows: Tensor, vector: Tensor) -> Tensor:
    """Each row's product with its example's vector: [b, r, d] and [b, d] to [b, r]."""
    if not _TENSORFLOW:
        return ops.matmul(rows, vector[:, :, None])[:, :, 0]
    # On a CPU two thirds of the time that the matrix times the column takes.
    return tf.matmul(vector[:, None], rows, transpose_b=True)[:, 0]


def softmax(x: Tensor) -> Tensor:
    """Softmax over the last axis, which may be of size 1: `ops.softmax` warns there."""
    if BACKEND == "jax":
        return jax.nn.softmax(x)
    return tf.nn.softmax(x) if _TENSORFLOW else torch.softmax(x, -1)


def sum_dtype(x: Tensor) -> str:
    """The dtype of long sums of x: its own, but float32 at least."""
    return keras.backend.result_type(x.dtype, "float32")


def sigmoid_gradient(y: Tensor, by_y: Tensor) -> Tensor:
    """d<by_y, σ(x)>/dx of y = σ(x): y (1 - y) by_y."""
    if not _TENSORFLOW:
        return y * (1.0 - y) * by_y
    return tf.raw_ops.SigmoidGrad(y=y, dy=by_y)


def tanh_gradient(y: Tensor, by_y: Tensor) -> Tensor:
    """d<by_y, tanh(x)>/dx of y = tanh(x): (1 - y²) by_y."""
    if not _TENSORFLOW:
        return (1.0 - y * y) * by_y
    return tf.raw_ops.TanhGrad(y=y, dy=by_y)


def relu6_gradient(y: Tensor, by_y: Tensor) -> Tensor:
    """d<by_y, ReLU6(x)>/dx of y = ReLU6(x): by_y where 0 < y < 6, else 0."""
    if not _TENSORFLOW:
        return ops.where((y > 0.0) & (y < 6.0), by_y, 0.0)
    return tf.raw_ops.Relu6Grad(gradients=by_y, features=y)


def excess(x: Tensor, low: float, high: float) -> Tensor:
    """x - high where x > high, x - low where x < low, else 0."""
    if not _TENSORFLOW:
        return x - ops.clip(x, low, high)
    # One operation, where Keras makes two.
    low, high = tf.constant(low, x.dtype), tf.constant(high, x.dtype)
    return x - tf.raw_ops.ClipByValue(t=x, clip_value_min=low, clip_value_max=high)


def select_cells(active: Tensor, x: Tensor, y: Tensor) -> Tensor:
    """x in the cells where `active` is not 0, y in the others.

    Args:
        active: broadcastable to [batch, w, n, 1].
        x, y: [batch, w, n, m].
    """
    active = ops.convert_to_tensor(active)
    if not _TENSORFLOW:
        return ops.where(active > 0, x, y)
    # Whole cells are copied, in half the time of choosing number by number.
    active = tf.reshape(tf.broadcast_to(active > 0, tf.shape(x[..., :1])), [-1])
    rows = (tf.reshape(z, (-1, x.shape[3])) for z in (x, y))
    chosen = tf.reshape(tf.compat.v1.where(active, *rows), tf.shape(x))
    chosen.set_shape(x.shape)
    return chosen


CONVOLVES_NARROW = _TENSORFLOW
"""Whether the backend's convolutions serve a canvas of width 1; else a matrix product
does, which stays one where several models are mapped over (`jax.vmap`)."""


def wide_kernel_gradient(x: Tensor, gradient: Tensor, kernel: Tensor) -> Tensor:
    """d<gradient, x * kernel>/d kernel by the backend's own operation."""
    if not _TENSORFLOW:
        options = {"padding": "same", "data_format": "channels_last"}
        convolved = lambda k: [ops.conv(x, k, **options)]  # noqa: E731
        return gradient_of(convolved, [kernel], [gradient])[0]
    return tf.raw_ops.Conv2DBackpropFilter(
        input=x,
        filter_sizes=tf.shape(kernel),
        out_backprop=gradient,
        strides=[1, 1, 1, 1],
        padding="SAME",
    )
