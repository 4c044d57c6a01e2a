"""Base of the layers that read a weighted sum of a memory's rows."""

import abc
from collections.abc import Sequence
from typing import Any, NamedTuple

import keras
from keras import ops

from neural_gpu_tf.layers.canvas import mask_or_all
from neural_gpu_tf.layers.operations import products, softmax
from neural_gpu_tf.types import Tensor

_NO_SCORE = -1e38  # less than any score, and finite: no NaN where no row exists


class Memory(NamedTuple):
    """What attention reads; every tensor leads with the batch."""

    rows: Tensor  # [batch, r, d]: h_j
    keys: Tensor | tuple[()]  # [batch, r, units]: U_a h_j; () in a lookup
    mask: Tensor  # bool [batch, r]


class MemoryReader(keras.layers.Layer, abc.ABC):
    """Reads c = Σ_j α_j h_j, the rows h_j of a memory with the weights α of a query.

    A subclass says what the scores are (`scores`), of what the query is multiplied by:
    the first of its `kernels`. Weights are computed in float32 at least; rows that
    don't exist have the weight 0.

    Input shape: query [batch, q]; rows [batch, r, d]; mask, bool [batch, r], if not
        given `rows_mask`, which Keras fills in, or all.
    Output shape: c [batch, d] and α [batch, r].
    """

    def compute_mask(self, *_: Any, **__: Any) -> None:
        """None: what is read has no rows."""

    @abc.abstractmethod
    def kernels(self) -> tuple[Tensor, ...]:
        """What the query is multiplied by, and what else `scores` needs, as tensors."""

    def match(self, asked: Tensor, keys: Any) -> Tensor:
        """What scores are made of at every step, and their gradient of.

        Args:
            asked: the query times the first kernel, [batch, …].
            keys: from `keys`.
        """
        return asked

    def like_matched(self, asked: Any, keys: Any) -> Any:
        """A stand-in with the shape and dtype of what `match` returns.

        Args:
            asked, keys: stand-ins for the arguments of `match`.
        """
        return asked

    @abc.abstractmethod
    def scores(self, matched: Tensor, keys: Any, others: Sequence[Tensor]) -> Tensor:
        """How well each row fits, [batch, r].

        Args:
            matched: from `match`.
            keys: from `keys`.
            others: the other kernels.
        """

    @abc.abstractmethod
    def scores_backward(
        self,
        matched: Tensor,
        keys: Any,
        others: Sequence[Tensor],
        by_scores: Tensor,
        sums: list[Tensor],
    ) -> tuple[Tensor, list[Tensor]]:
        """The gradient of `match` and `scores`, in one of many steps.

        Args:
            matched, keys, others: as given to `scores`.
            by_scores: [batch, r].
            sums: over the steps after, from `no_sums` or the step before.

        Returns:
            The gradient by `asked`, and the sums with this step's terms.
        """

    @abc.abstractmethod
    def sums_backward(
        self,
        matched: Tensor,
        others: Sequence[Tensor],
        by_scores: Tensor,
        sums: Sequence[Tensor],
    ) -> tuple[Any, list[Tensor]]:
        """The gradients by `keys` and by `others`, of all steps together.

        Args:
            matched: of all steps, [n, batch, …].
            others: as given to `scores`.
            by_scores: of all steps, [n, batch, r].
            sums: from the last `scores_backward`.
        """

    def no_sums(self, keys: Any) -> list[Tensor]:
        """What `scores_backward` starts from."""
        return []

    def weigh(self, query: Tensor, memory: Memory, kernels: Sequence[Tensor]) -> Tensor:
        """α [batch, r] of a query s [batch, q]."""
        matched = self.match(ops.matmul(query, kernels[0]), memory.keys)
        scores = self.scores(matched, memory.keys, kernels[1:])
        return self.normalize(scores, memory.mask)

    def normalize(self, scores: Tensor, mask: Tensor) -> Tensor:
        """Softmax over the rows that exist, 0 in the others; [batch, r] each."""
        scores = ops.cast(scores, self.weight_dtype)
        weights = softmax(ops.where(mask, scores, _NO_SCORE))
        return weights * ops.cast(mask, scores.dtype)

    def normalize_backward(self, weights: Tensor, by_weights: Tensor) -> Tensor:
        """The gradient by the scores, [batch, r] all."""
        terms = weights * by_weights
        return terms - weights * ops.sum(terms, axis=-1, keepdims=True)

    def keys(self, rows: Tensor) -> Tensor | tuple[()]:
        """What `weigh` needs of the rows at every step; () if nothing."""
        return ()

    def call(
        self,
        query: Tensor,
        rows: Tensor,
        mask: Tensor | None = None,
        rows_mask: Tensor | None = None,
    ) -> tuple[Tensor, Tensor]:
        memory = self.remember(rows, rows_mask if mask is None else mask)
        return self.read(query, memory)

    def compute_output_shape(
        self, query_shape: Any, rows_shape: Any, mask_shape: Any = None
    ) -> Any:
        return (rows_shape[0], rows_shape[2]), rows_shape[:2]

    def compute_output_spec(self, query: Any, rows: Any, *_: Any, **__: Any) -> Any:
        shapes = self.compute_output_shape(query.shape, rows.shape)
        dtypes = self.compute_dtype, self.weight_dtype
        return tuple(map(keras.KerasTensor, shapes, dtypes))

    def remember(self, rows: Tensor, mask: Tensor | None = None) -> Memory:
        """What is computed once, before the first `read`."""
        mask = mask_or_all(mask, rows)
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
        weights = self.weigh(query, memory, kernels or self.kernels())
        return self.weighted(weights, memory.rows), weights

    @staticmethod
    def weighted(weights: Tensor, rows: Tensor) -> Tensor:
        """Σ_j α_j h_j, [batch, d]."""
        weights = ops.expand_dims(ops.cast(weights, rows.dtype), 1)
        return ops.matmul(weights, rows)[:, 0]

    @staticmethod
    def weighted_backward(by_context: Tensor, rows: Tensor) -> Tensor:
        """The gradient of `weighted` by the weights, [batch, r]."""
        return products(rows, by_context)

    @property
    def weight_dtype(self) -> str:
        """Of α: the compute dtype, but float32 at least."""
        return keras.backend.result_type(self.compute_dtype, "float32")
