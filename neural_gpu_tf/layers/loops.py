"""Loops that record, and gradients by hand: what Keras does not offer, or not well.

With `operations.py` and `dropout_masks.py` the only files that ask for the backend.
"""

from collections.abc import Callable, Sequence
from typing import Any

import keras
from keras import ops

from neural_gpu_tf.types import Tensor

BACKEND = keras.backend.backend()
if BACKEND == "tensorflow":
    import tensorflow as tf
elif BACKEND == "jax":
    import jax
elif BACKEND == "torch":
    import torch
else:
    raise ImportError(
        f"KERAS_BACKEND={BACKEND}: neural_gpu_tf runs on tensorflow, jax and torch"
    )

Body = Callable[[Tensor, Any, Any], tuple[Any, Any]]


def record_loop(
    body: Body,
    carry: Any,
    steps: Tensor | int,
    records_like: Any,
    inputs: Any = (),
    reverse: bool = False,
) -> tuple[Any, Any]:
    """Runs `carry, record = body(t, carry, inputs[t])` and stacks the records.

    What is carried, recorded and read are nests of tensors: lists, NamedTuples, ….

    Its gradient is the backend's own, which keeps all that `body` computes; for a
    canvas that is too much, so there it stands inside an `own_gradient`.

    Args:
        body: takes the step t, what is carried and the t-th slice of each input;
            returns what is carried on and what to record.
        carry: the carried tensors at the start.
        steps: how many steps; under JAX and PyTorch a Python int.
        records_like: for each recorded tensor one of its static shape and dtype.
        inputs: what is read, each [steps, ...]: a tensor or what an earlier
            `record_loop` recorded.
        reverse: t runs from steps - 1 to 0.

    Returns:
        The carried tensors at the end, and the records: opaque, for the `inputs` of
        another loop or for `stack`.
    """
    flatten, pack = keras.tree.flatten, keras.tree.pack_sequence_as

    def flat(t: Tensor, now: list, read: list) -> tuple[list, list]:
        after, record = body(t, pack(carry, now), pack(inputs, read))
        return flatten(after), flatten(record)

    start, like, given = map(flatten, (carry, records_like, inputs))
    if BACKEND == "jax":
        end, records = _scan_in_jax(flat, start, steps, given, reverse)
    else:
        loop = _loop_in_tensorflow if BACKEND == "tensorflow" else _loop_in_torch
        end, records = loop(flat, start, steps, like, given, reverse)
    return pack(carry, end), pack(records_like, records)


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


def _loop_in_torch(
    body: Body,
    carry: Sequence,
    steps: int,
    records_like: Sequence,
    inputs: Sequence,
    reverse: bool,
) -> tuple[list, list]:
    """`record_loop` step by step; a record is a tensor [steps, ...]."""
    carry, kept = list(carry), []
    for t in reversed(range(steps)) if reverse else range(steps):
        carry, record = body(t, carry, [x[t] for x in inputs])
        kept.append(record)
    if not kept:
        return carry, [ops.zeros((0, *x.shape), x.dtype) for x in records_like]
    columns = zip(*(reversed(kept) if reverse else kept), strict=True)
    return carry, [torch.stack(column) for column in columns]


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

    def source(x: Any) -> tf.TensorArray:
        if isinstance(x, tf.TensorArray):
            if tf.executing_eagerly() or tf.is_symbolic_tensor(x.flow):
                return x
            x = x.stack()  # an eager one in a graph, as of `batch_jacobian`
        return array(x.dtype, x.shape[1:]).unstack(x)

    sources = [source(x) for x in inputs]
    records = [array(like.dtype, like.shape) for like in records_like]

    def step(i: Tensor, carry: tuple, records: tuple) -> tuple[Tensor, tuple, tuple]:
        t = steps - 1 - i if reverse else i
        after, record = body(t, list(carry), [x.read(t) for x in sources])
        # What a body forgets of a shape the loop would not take.
        carry = [
            new if new.shape == old.shape else tf.ensure_shape(new, old.shape)
            for new, old in zip(after, carry, strict=True)
        ]
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


def stack(records: Any) -> Any:
    """Each record of `record_loop` as one tensor [steps, ...]; a tensor as it is."""
    return keras.tree.map_structure(
        lambda x: x.stack() if hasattr(x, "stack") else x, records
    )


def own_gradient(function: Callable[..., tuple[Any, Any]]) -> Callable[..., Any]:
    """`function`, with the custom gradient that it returns.

    Second derivatives are not supported.

    Args:
        function: of tensors; returns a tensor, or several, and a function that takes
            d/d output of each and returns d/d input of each, or of the only one.
    """
    if BACKEND == "torch":
        return lambda *inputs: _OwnGradientInTorch.apply(function, *inputs)

    if BACKEND == "jax":
        return lambda *inputs: _own_gradient_in_jax(function, inputs)
    return ops.custom_gradient(function)


def _own_gradient_in_jax(function: Callable[..., Any], inputs: Sequence[Tensor]) -> Any:
    """`function(*inputs)`; all that it or its gradient closes over is an argument.

    What `jax.custom_vjp` closes over may not be of a trace that is itself traced
    again, as by `jax.grad` of `jax.jit`, `jax.checkpoint` and `jax.lax.scan`.
    """
    rules = []

    def both(*inputs: Tensor) -> tuple[Any, list[Tensor]]:
        outputs, gradient = function(*inputs)
        several = isinstance(outputs, (tuple, list))
        rules.append(jax.make_jaxpr(gradient)(*(outputs if several else [outputs])))
        return outputs, rules[0].consts

    traced, shapes = jax.make_jaxpr(both, return_shape=True)(*inputs)
    outputs, pack = jax.tree.flatten(shapes[0])

    def forward(constants: Any, inputs: Any) -> tuple[list[Tensor], list[Tensor]]:
        values = jax.core.eval_jaxpr(traced.jaxpr, constants, *inputs)
        return values[: len(outputs)], values[len(outputs) :]

    def backward(residuals: Any, upstream: Any) -> tuple[None, list[Tensor]]:
        return None, jax.core.eval_jaxpr(rules[0].jaxpr, residuals, *upstream)

    called = jax.custom_vjp(lambda *given: forward(*given)[0])
    called.defvjp(forward, backward)
    return jax.tree.unflatten(pack, called(traced.consts, list(inputs)))


if BACKEND == "torch":

    class _OwnGradientInTorch(torch.autograd.Function):
        """`own_gradient`; Keras's custom gradient is of one output only."""

        @staticmethod
        def forward(ctx: Any, function: Any, *inputs: Tensor) -> Any:
            outputs, ctx.by_hand = function(*inputs)
            # Views: what `by_hand` keeps must not lead back to this node.
            if isinstance(outputs, (tuple, list)):
                return tuple(x.view_as(x) for x in outputs)
            return outputs.view_as(outputs)

        @staticmethod
        @torch.autograd.function.once_differentiable
        def backward(ctx: Any, *upstream: Tensor) -> tuple[Any, ...]:
            gradients = ctx.by_hand(*upstream)
            several = isinstance(gradients, (tuple, list))
            return (None, *(gradients if several else [gradients]))


def gradient_of(
    function: Callable[..., Sequence[Tensor]],
    inputs: Sequence[Tensor],
    upstream: Sequence[Tensor],
) -> list[Tensor]:
    """The backend's own d Σ_i<upstream_i, function(*inputs)_i> / d inputs.

    For parts of a hand-written gradient that are not worth writing by hand. The
    function is computed again.
    """
    if BACKEND == "jax":
        _, pull_back = jax.vjp(lambda *x: list(function(*x)), *inputs)
        return list(pull_back(list(upstream)))
    if BACKEND == "torch":
        with torch.enable_grad():
            inputs = [x.detach().requires_grad_() for x in inputs]
            outputs = function(*inputs)
        return list(torch.autograd.grad(outputs, inputs, upstream))
    with tf.GradientTape() as recording:
        recording.watch(inputs)
        outputs = function(*inputs)
    return recording.gradient(outputs, inputs, upstream)
