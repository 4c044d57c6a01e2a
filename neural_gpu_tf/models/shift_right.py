"""Targets shifted to the right by one, GO before the first."""

from keras import ops

from neural_gpu_tf.constants import GO
from neural_gpu_tf.types import Tensor


def shift_right(target: Tensor) -> Tensor:
    """o_{-1} … o_{n-2}: GO, then all of the target but the last; [batch, n]."""
    return ops.pad(target, [[0, 0], [1, 0]], constant_values=GO)[:, :-1]


def symbol_before(previous: Tensor, t: Tensor | int) -> Tensor:
    """o_{t-1}, whatever the caller says it is at t = 0: GO; [batch]."""
    return ops.where(ops.cast(t, "int32") > 0, ops.cast(previous, "int32"), GO)
