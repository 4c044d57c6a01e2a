"""Helpers of the active-memory loop: sets of weights, segments of steps, columns."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from keras import ops

from neural_gpu_tf.layers.canvas_unit import CanvasUnit
from neural_gpu_tf.types import Tensor


class LoopTensors(NamedTuple):
    """All inputs of the loop that have a gradient, but for the canvas."""

    kernels: list[Any]  # of each unit a NamedTuple; [r, …] if there are r sets
    biases: list[Any]  # the same
    written: list[Tensor]  # of each unit what step t writes on the tape: [n, batch, …]
    read: list[Tensor]  # what `Reading.function` takes


def unit_weights(units: Sequence[CanvasUnit], sets: int) -> tuple[list[Any], list[Any]]:
    """Kernels and biases of the l units of a step; [r, …] each if there are r sets."""
    layers = len(units) // sets
    turns = [units[i::layers] for i in range(layers)]
    return (
        [stack_sets([unit.kernels() for unit in turn]) for turn in turns],
        [stack_sets([unit.biases() for unit in turn]) for turn in turns],
    )


def stack_sets(sets: Sequence[Any]) -> Any:
    """NamedTuples of tensors as one of tensors [r, …]; one as it is."""
    if len(sets) == 1:
        return sets[0]
    return type(sets[0])(*(ops.stack(x) for x in zip(*sets, strict=True)))


def set_of_step(t: Tensor | int, weights: list[Any], sets: int) -> list[Any]:
    """Of each unit's weights, as `unit_weights` gives them, set t mod r."""
    if sets == 1:
        return weights
    return [
        type(group)(*(ops.take(x, t % sets, axis=0) for x in group))
        for group in weights
    ]


def add_to_set(weight: Tensor, t: Tensor | int, added: Tensor, sets: int) -> Tensor:
    """`weight` with `added` in set t mod r."""
    added = ops.cast(added, weight.dtype)
    if sets == 1:
        return weight + added
    where = ops.reshape(ops.cast(t, "int32") % sets, (1, 1))
    return ops.scatter_update(weight, where, added[None], reduction="add")


def segment_sizes(
    steps: Tensor | int, sets: int = 1
) -> tuple[Tensor | int, Tensor | int]:
    """About 4√n segments, and their length; together they may be longer than n.

    The length is a multiple of r, so that in every segment step i takes set i mod r.
    """
    if isinstance(steps, int):
        count = math.isqrt(16 * steps)
    else:
        count = ops.cast(4 * ops.sqrt(ops.cast(steps, "float32")), "int32")
    rounds = (steps + count * sets - 1) // (count * sets)
    length = rounds * sets
    return (steps + length - 1) // length, length


def cut(x: Tensor, segments: Tensor | int, length: Tensor | int) -> Tensor:
    """[n, …] as [segments, length, …]; 0 in the steps that are too many."""
    missing = segments * length - ops.shape(x)[0]
    x = ops.pad(x, [[0, missing]] + [[0, 0]] * (x.ndim - 1))
    return ops.reshape(x, (segments, length, *ops.shape(x)[1:]))


def uncut(x: Tensor, steps: Tensor | int) -> Tensor:
    """[segments, length, …] as [n, …]."""
    return ops.reshape(x, (-1, *ops.shape(x)[2:]))[:steps]


def column(canvas: Tensor, t: Tensor) -> Tensor:
    """canvas[:, 0, t], [batch, m]; of the last column in a step too many."""
    last = ops.shape(canvas)[2] - 1
    return ops.take(canvas[:, 0], ops.minimum(t, last), axis=1)


def add_to_column(canvas: Tensor, vectors: Tensor, t: Tensor) -> Tensor:
    """canvas[:, 0, t] += vectors, which are 0 in a step too many."""
    batch = ops.arange(ops.shape(canvas)[0], dtype="int32")
    zeros = ops.zeros_like(batch)
    t = ops.minimum(ops.cast(t, "int32"), ops.shape(canvas)[2] - 1)
    where = ops.stack([batch, zeros, zeros + t], axis=-1)
    return ops.scatter_update(canvas, where, vectors, reduction="add")
