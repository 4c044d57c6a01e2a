"""Attention to a memory of K rows whose weights follow from the query alone."""

from collections.abc import Sequence
from typing import Any

import keras
from keras import ops

from neural_gpu_tf.configuration import check_choice
from neural_gpu_tf.constants import LOOKUPS, SCORINGS
from neural_gpu_tf.layers.initializers import fresh
from neural_gpu_tf.layers.memory_attention import MemoryAttention
from neural_gpu_tf.layers.memory_reader import MemoryReader
from neural_gpu_tf.layers.operations import as_tensor
from neural_gpu_tf.types import Tensor


def check_scoring(scoring: str) -> None:
    """Raises ValueError if there is no such scoring."""
    if scoring not in SCORINGS:
        raise ValueError(
            f"scoring={scoring!r}: unknown; choose {' or '.join(SCORINGS)}"
        )


@keras.saving.register_keras_serializable("neural_gpu_tf")
class MemoryLookup(MemoryReader):
    """Reads a memory's K rows C_k with weights that a query s gives alone.

        c = Σ_k β_k C_k
        β = softmax(W_β s), or σ(W_β s)

    (Britz, Guan & Luong 2017, "Efficient Attention using a Fixed-Size Memory
    Representation", §3.) Row k has a weight whatever it holds, so the rows must have an
    order, as those of `FixedMemory`. Its interface is that of `MemoryAttention`. Rows
    that don't exist have the weight 0. The weights are computed in float32 at least.

    Args:
        scoring: "softmax" or "sigmoid".
        kernel_initializer: of W_β.

    Input shape: query [batch, q]; rows [batch, K, d], K fixed; mask, bool [batch, K],
        the Keras mask of the rows if not given, or all.
    Output shape: c [batch, d] and β [batch, K].

    Raises:
        ValueError: there is no such scoring; when built: K is not known.

    Example:
        >>> query, rows = keras.ops.ones((2, 16)), keras.ops.ones((2, 5, 24))
        >>> context, weights = MemoryLookup()(query, rows)
        >>> context.shape, weights.shape
        ((2, 24), (2, 5))
    """

    def __init__(
        self,
        scoring: str = "softmax",
        kernel_initializer: Any = "glorot_uniform",
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        check_scoring(scoring)
        self.scoring = scoring
        self.kernel_initializer = keras.initializers.get(kernel_initializer)

    def build(self, query_shape: Any, rows_shape: Any, mask_shape: Any = None) -> None:
        if rows_shape[1] is None:
            raise ValueError(
                f"rows of shape {tuple(rows_shape)}: a lookup needs a fixed number of "
                "rows; attend to them by MemoryAttention"
            )
        self.kernel = self.add_weight(  # W_β
            shape=(query_shape[-1], rows_shape[1]),
            initializer=fresh(self.kernel_initializer, "kernel"),
            name="kernel",
        )
        self.built = True

    def kernels(self) -> tuple[Tensor, ...]:
        """W_β."""
        return (as_tensor(self.kernel, self.compute_dtype),)

    def normalize(self, scores: Tensor, mask: Tensor) -> Tensor:
        """By the scoring, 0 in rows that don't exist; [batch, K] each."""
        if self.scoring == "softmax":
            return super().normalize(scores, mask)
        weights = ops.sigmoid(ops.cast(scores, self.weight_dtype))
        return weights * ops.cast(mask, weights.dtype)

    def normalize_backward(self, weights: Tensor, by_weights: Tensor) -> Tensor:
        if self.scoring == "softmax":
            return super().normalize_backward(weights, by_weights)
        return weights * (1.0 - weights) * by_weights

    def scores(self, matched: Tensor, keys: Any, others: Sequence[Tensor]) -> Tensor:
        return matched

    def scores_backward(
        self,
        matched: Tensor,
        keys: Any,
        others: Sequence[Tensor],
        by_scores: Tensor,
        sums: list[Tensor],
    ) -> tuple[Tensor, list[Tensor]]:
        return by_scores, sums

    def sums_backward(
        self,
        matched: Tensor,
        others: Sequence[Tensor],
        by_scores: Tensor,
        sums: Sequence[Tensor],
    ) -> tuple[Any, list[Tensor]]:
        return (), []

    def get_config(self) -> dict:
        return {
            **super().get_config(),
            "scoring": self.scoring,
            "kernel_initializer": keras.initializers.serialize(self.kernel_initializer),
        }


def new_reader(
    score: str | None, units: int, scoring: str, **kwargs: Any
) -> MemoryReader | None:
    """What reads a decoder's memory, by the decoder's options.

    Args:
        score: "state": a `MemoryLookup`; None: nothing; else a `MemoryAttention`'s.
        units: of a `MemoryAttention`.
        scoring: of a `MemoryLookup`.
        kwargs: of either.

    Raises:
        ValueError: there is no such score or scoring.
    """
    check_choice("attention_score", score or LOOKUPS[0], LOOKUPS)
    check_scoring(scoring)
    if score is None:
        return None
    if score == "state":
        return MemoryLookup(scoring, **kwargs)
    return MemoryAttention(units, score, **kwargs)
