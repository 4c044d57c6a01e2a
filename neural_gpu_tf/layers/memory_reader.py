"""Base of the layers that read a weighted sum of a memory's rows."""

import abc
from collections.abc import Sequence
from typing import NamedTuple

import keras
from keras import ops

from neural_gpu_tf.types import Tensor

_NO_SCORE = -1e38  # less than any score, and finite: no NaN where no row exists


class Memory(NamedTuple):
    """What attention reads; every tensor leads with the batch."""

    rows: Tensor  # [batch, r, d]: h_j
    keys: Tensor | tuple[()]  # [batch, r, units]: U_a h_j; () in a lookup
    mask: Tensor  # bool [batch, r]


class MemoryReader(keras.layers.Layer, abc.ABC):
    """Reads c = Σ_j α_j h_j, the rows h_j of a memory with the weights α of a query.

    A subclass says what the weights are (`weigh`). They are computed in float32 at
    least; rows that don't exist have the weight 0.

    Input shape: query [batch, q]; rows [batch, r, d]; mask, bool [batch, r], all if
        not given.
    Output shape: c [batch, d] and α [batch, r].
    """

    @abc.abstractmethod
    def kernels(self) -> tuple[Tensor, ...]:
        """What `weigh` multiplies by, as tensors."""

    @abc.abstractmethod
    def weigh(self, query: Tensor, memory: Memory, kernels: Sequence[Tensor]) -> Tensor:
        """α [batch, r] of a query s [batch, q]."""

    def keys(self, rows: Tensor) -> Tensor | tuple[()]:
        """What `weigh` needs of the rows at every step; () if nothing."""
        return ()

    def call(
        self, query: Tensor, rows: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        return self.read(query, self.remember(rows, mask))

    def remember(self, rows: Tensor, mask: Tensor | None = None) -> Memory:
        """What is computed once, before the first `read`."""
        if mask is None:
            mask = ops.ones(ops.shape(rows)[:2], dtype="bool")
        return Memory(rows, self.keys(rows), mask)

    def read(
        self, query: Tensor, memory: Memory, kernels: Sequence[Tensor] | None = None
    ) -> tuple[Tensor, Tensor]:
        """One reading.

        Args:
            query: s, [batch, q].
            memory: from `remember`.
            kernels: from `kernels`, where a loop hands them in.

        Returns:
            c [batch, d] and α [batch, r].
        """
        rows = memory.rows
        weights = self.weigh(query, memory, kernels or self.kernels())
        context = ops.matmul(ops.expand_dims(ops.cast(weights, rows.dtype), 1), rows)
        return context[:, 0], weights

    @property
    def weight_dtype(self) -> str:
        """Of α: the compute dtype, but float32 at least."""
        return keras.backend.result_type(self.compute_dtype, "float32")


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    """Softmax over the rows that exist, 0 in the others; [batch, r] each."""
    highest = ops.max(ops.where(mask, scores, _NO_SCORE), axis=-1, keepdims=True)
    shifted = ops.where(mask, scores - ops.stop_gradient(highest), 0.0)
    weights = ops.exp(shifted) * ops.cast(mask, scores.dtype)
    total = ops.sum(weights, axis=-1, keepdims=True)
    return weights / ops.where(total > 0, total, 1.0)  # 0 where none exists
