"""What needs the backend: recording loops, gradients of operations, dropout.

Everything else in `layers/`, `models/` and `decoding/` is written in
`keras.ops` alone; what Keras does not offer, or not well, is here, once for each
backend.
"""

from collections.abc import Callable, Sequence
from typing import Any

import keras
from keras import ops

from neural_gpu_tf.types import Tensor

_BACKEND = keras.backend.backend()
if _BACKEND == "tensorflow":
    import tensorflow as tf
elif _BACKEND == "jax":
    import jax
else:
    raise ImportError(
        f"KERAS_BACKEND={_BACKEND}: neural_gpu_tf runs on tensorflow and on jax"
    )

Body = Callable[[Tensor, list, list], tuple[list, list]]


def record_loop(
    body: Body,
    carry: Sequence[Tensor],
    steps: Tensor | int,
    records_like: Sequence[Tensor],
    inputs: Sequence[Tensor] = (),
    reverse: bool = False,
) -> tuple[list, list]:
    """Runs `carry, record = body(t, carry, inputs[t])` and stacks the records.

    Its gradient is the backend's own, which keeps all that `body` computes; for a
    canvas that is too much, so there it stands inside a `keras.ops.custom_gradient`.

    Args:
        body: takes the step t, the carried tensors and the t-th slice of each
            input; returns the new carried tensors and the tensors to record.
        carry: the carried tensors at the start.
        steps: how many steps; under JAX a Python int.
        records_like: for each recorded tensor one of its static shape and dtype.
        inputs: what is read, each [steps, ...]: a tensor or what an earlier
            `record_loop` recorded.
        reverse: t runs from steps - 1 to 0.

    Returns:
        The carried tensors at the end, and the records: opaque, for the `inputs` of
        another loop or for `stack`.
    """
    if _BACKEND == "jax":
        return _scan_in_jax(body, carry, steps, inputs, reverse)
    return _loop_in_tensorflow(body, carry, steps, records_like, inputs, reverse)


def _scan_in_jax(
    body: Body, carry: Sequence, steps: int, inputs: Sequence, reverse: bool
) -> tuple[list, list]:
    """`record_loop` by `jax.lax.scan`; a record is a tensor [steps, ...]."""

    def scanned(carry: tuple, x: tuple) -> tuple[tuple, tuple]:
        carry, record = body(x[0], list(carry), list(x[1]))
        return tuple(carry), tuple(record)

    read = (ops.arange(steps, dtype="int32"), tuple(inputs))
    carry, records = jax.lax.scan(scanned, tuple(carry), read, reverse=reverse)
    return list(carry), list(records)


def _loop_in_tensorflow(
    body: Body,
    carry: Sequence,
    steps: Tensor | int,
    records_like: Sequence,
    inputs: Sequence,
    reverse: bool,
) -> tuple[list, list]:
    """`record_loop` by `tf.while_loop`; a record is a TensorArray of `steps`."""

    def array(dtype: Any, shape: Any) -> tf.TensorArray:
        return tf.TensorArray(
            dtype, size=steps, element_shape=shape, clear_after_read=False
        )

    sources = [
        x if isinstance(x, tf.TensorArray) else array(x.dtype, x.shape[1:]).unstack(x)
        for x in inputs
    ]
    records = [array(like.dtype, like.shape) for like in records_like]

    def step(i: Tensor, carry: tuple, records: tuple) -> tuple[Tensor, tuple, tuple]:
        t = steps - 1 - i if reverse else i
        carry, record = body(t, list(carry), [x.read(t) for x in sources])
        records = [a.write(t, r) for a, r in zip(records, record, strict=True)]
        return i + 1, tuple(carry), tuple(records)

    _, carry, records = tf.while_loop(
        lambda i, *_: i < steps,
        step,
        (tf.constant(0), tuple(carry), tuple(records)),
        maximum_iterations=steps,
        parallel_iterations=1,
    )
    return list(carry), list(records)


def as_tensor(variable: Any, dtype: str) -> Tensor:
    """The value of a Keras variable; `ops.convert_to_tensor` may give the variable."""
    value = ops.convert_to_tensor(variable, dtype)
    return value if _BACKEND == "jax" else tf.convert_to_tensor(value)


def stack(record: Any) -> Tensor:
    """A record of `record_loop` as one tensor [steps, ...]; a tensor as it is."""
    return record.stack() if hasattr(record, "stack") else record


def transposed_product(x: Tensor, y: Tensor) -> Tensor:
    """Σ x_i y_iᵀ over all but the last axes: [..., a] and [..., b] to [a, b]."""
    x, y = (ops.reshape(z, (-1, z.shape[-1])) for z in (x, y))
    return x.T @ y if _BACKEND == "jax" else tf.matmul(x, y, transpose_a=True)


def sum_of_cells(x: Tensor) -> Tensor:
    """Σ x over all but the last axis: [..., m] to [m]."""
    if _BACKEND == "jax":
        return ops.sum(x, axis=tuple(range(x.ndim - 1)))
    # On a CPU a matrix product takes half of the time that the sum does.
    x = tf.reshape(x, (-1, x.shape[-1]))
    return tf.matmul(tf.ones((1, tf.shape(x)[0]), x.dtype), x)[0]


def products(rows: Tensor, vector: Tensor) -> Tensor:
    """Each row's product with its example's vector: [b, r, d] and [b, d] to [b, r]."""
    if _BACKEND == "jax":
        return ops.matmul(rows, vector[:, :, None])[:, :, 0]
    # On a CPU two thirds of the time that the matrix times the column takes.
    return tf.matmul(vector[:, None], rows, transpose_b=True)[:, 0]


def softmax(x: Tensor) -> Tensor:
    """Softmax over the last axis, which may be of size 1: `ops.softmax` warns there."""
    return jax.nn.softmax(x) if _BACKEND == "jax" else tf.nn.softmax(x)


def sigmoid_gradient(y: Tensor, by_y: Tensor) -> Tensor:
    """d<by_y, σ(x)>/dx of y = σ(x): y (1 - y) by_y."""
    if _BACKEND == "jax":
        return y * (1.0 - y) * by_y
    return tf.raw_ops.SigmoidGrad(y=y, dy=by_y)


def tanh_gradient(y: Tensor, by_y: Tensor) -> Tensor:
    """d<by_y, tanh(x)>/dx of y = tanh(x): (1 - y²) by_y."""
    if _BACKEND == "jax":
        return (1.0 - y * y) * by_y
    return tf.raw_ops.TanhGrad(y=y, dy=by_y)


def relu6_gradient(y: Tensor, by_y: Tensor) -> Tensor:
    """d<by_y, ReLU6(x)>/dx of y = ReLU6(x): by_y where 0 < y < 6, else 0."""
    if _BACKEND == "jax":
        return ops.where((y > 0.0) & (y < 6.0), by_y, 0.0)
    return tf.raw_ops.Relu6Grad(gradients=by_y, features=y)


def excess(x: Tensor, low: float, high: float) -> Tensor:
    """x - high where x > high, x - low where x < low, else 0."""
    if _BACKEND == "jax":
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
    if _BACKEND == "jax":
        return ops.where(active > 0, x, y)
    # Whole cells are copied, in half the time of choosing number by number.
    active = tf.reshape(tf.broadcast_to(active > 0, tf.shape(x[..., :1])), [-1])
    rows = (tf.reshape(z, (-1, x.shape[3])) for z in (x, y))
    chosen = tf.reshape(tf.compat.v1.where(active, *rows), tf.shape(x))
    chosen.set_shape(x.shape)
    return chosen


CONVOLVES_NARROW = _BACKEND == "tensorflow"
"""Whether the backend's convolutions serve a canvas of width 1; else a matrix product
does, which stays one where several models are mapped over (`jax.vmap`)."""


def wide_kernel_gradient(x: Tensor, gradient: Tensor, kernel: Tensor) -> Tensor:
    """d<gradient, x * kernel>/d kernel by the backend's own operation."""
    if _BACKEND == "jax":
        options = {"padding": "same", "data_format": "channels_last"}
        _, pull_back = jax.vjp(lambda k: ops.conv(x, k, **options), kernel)
        return pull_back(gradient)[0]
    return tf.raw_ops.Conv2DBackpropFilter(
        input=x,
        filter_sizes=tf.shape(kernel),
        out_backprop=gradient,
        strides=[1, 1, 1, 1],
        padding="SAME",
    )


def gradient_of(
    function: Callable[..., Sequence[Tensor]],
    inputs: Sequence[Tensor],
    upstream: Sequence[Tensor],
) -> list[Tensor]:
    """The backend's own d Σ_i<upstream_i, function(*inputs)_i> / d inputs.

    For the part of a hand-written gradient that is not worth the hand. The function
    is computed again.
    """
    if _BACKEND == "jax":
        _, pull_back = jax.vjp(lambda *x: list(function(*x)), *inputs)
        return list(pull_back(list(upstream)))
    with tf.GradientTape() as recording:
        recording.watch(inputs)
        outputs = function(*inputs)
    return recording.gradient(outputs, inputs, upstream)


def own_seed(seed: Tensor) -> Tensor:
    """A `SeedGenerator`'s seed, another one on each replica of a strategy.

    The generators of all replicas count alike; without this they would drop alike.
    """
    if _BACKEND == "jax":
        return seed
    context = tf.distribute.get_replica_context()
    replica = 0 if context is None else context.replica_id_in_sync_group
    # SeedGenerator counts in the second number.
    return seed + tf.stack([2_000_000_011 * tf.cast(replica, seed.dtype), 0])


def kept_cells(like: Tensor, rate: Tensor, seed: Tensor, t: Tensor) -> Tensor:
    """What dropout keeps: bool, of the shape of `like`.

    A function of (seed, t) alone, so that it can be drawn again. From 16 random bits
    each, so the rate is a multiple of 1/65,536.

    Args:
        like: gives the shape.
        rate: probability of False; a float32 that broadcasts to `like`.
        seed: what `keras.random.SeedGenerator.next` returns, [2].
        t: the step.
    """
    least = ops.cast(ops.round(65536.0 * ops.cast(rate, "float32")), "int32")
    least = ops.cast(ops.minimum(least, 65535), "uint16")
    if _BACKEND == "jax":
        key = jax.random.fold_in(jax.random.wrap_key_data(seed.astype("uint32")), t)
        return jax.random.bits(key, like.shape, "uint16") >= least
    # SeedGenerator counts in the second number; the step goes into the first.
    first, second = tf.unstack(tf.cast(seed, "int64"))
    seed = tf.stack([first + 1_000_003 * (tf.cast(t, "int64") + 1), second])
    count = tf.size(like)
    drawn = tf.random.stateless_uniform(
        [(count + 1) // 2], seed, minval=None, maxval=None, dtype="int32"
    )
    drawn = tf.reshape(tf.bitcast(drawn, "uint16"), [-1])[:count]
    return tf.reshape(drawn, tf.shape(like)) >= least


def dropout_mask(like: Tensor, rate: Tensor, seed: Tensor, t: Tensor) -> Tensor:
    """What inverted dropout multiplies `like` by: 0, or 1 / (1 - rate).

    Args: as `kept_cells`; and of the dtype of `like`.
    """
    keep = ops.cast(kept_cells(like, rate, seed, t), like.dtype)
    return keep / ops.cast(1.0 - rate, like.dtype)
