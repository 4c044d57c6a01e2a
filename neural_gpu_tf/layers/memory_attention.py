"""Attention: reading a weighted sum of rows."""

from collections.abc import Sequence
from typing import Any

import keras
from keras import ops

from neural_gpu_tf.configuration import whole_number
from neural_gpu_tf.constants import SCORES
from neural_gpu_tf.layers.initializers import fresh
from neural_gpu_tf.layers.memory_reader import MemoryReader
from neural_gpu_tf.layers.operations import as_tensor, products
from neural_gpu_tf.types import Tensor


@keras.saving.register_keras_serializable("neural_gpu_tf")
class MemoryAttention(MemoryReader):
    """Additive or dot-product attention of a query s to the rows h_j of a memory.

        c   = Σ_j α_j h_j
        α_j = exp(e_j) / Σ_i exp(e_i), over the rows that exist
        e_j = v_a · tanh(W_a s + U_a h_j)                  "additive"
        e_j = (W_a s) · (U_a h_j)                          "dot"

    (Bahdanau et al. 2014, "Neural Machine Translation by Jointly Learning to Align
    and Translate", §3.1 and A.1.2; "dot": Luong et al. 2015, "Effective Approaches to
    Attention-based Neural Machine Translation", §3.1, their *general* score with the
    matrix W_aᵀ U_a.) Where no row exists c and all α_j are 0. The weights are computed
    in float32 at least.

    Args:
        units: rows of W_a and U_a.
        score: "additive" or "dot".
        kernel_initializer: of W_a, U_a and v_a.

    Input shape: query [batch, q]; rows [batch, r, d]; mask, bool [batch, r], the
        Keras mask of the rows if not given, or all.
    Output shape: c [batch, d] and α [batch, r].

    Example:
        >>> query, rows = keras.ops.ones((2, 16)), keras.ops.ones((2, 5, 24))
        >>> context, weights = MemoryAttention(units=8)(query, rows)
        >>> context.shape, weights.shape
        ((2, 24), (2, 5))
    """

    def __init__(
        self,
        units: int,
        score: str = "additive",
        kernel_initializer: Any = "glorot_uniform",
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        units = whole_number("units", units, 1)
        if score not in SCORES:
            raise ValueError(
                f"attention score {score!r}: unknown; choose {' or '.join(SCORES)}"
            )
        self.units = units
        self.score = score
        self.kernel_initializer = keras.initializers.get(kernel_initializer)

    def build(self, query_shape: Any, rows_shape: Any, mask_shape: Any = None) -> None:
        def kernel(name: str, *shape: int) -> Any:
            initializer = fresh(self.kernel_initializer, name)
            return self.add_weight(shape=shape, initializer=initializer, name=name)

        self.query_kernel = kernel("query_kernel", query_shape[-1], self.units)  # W_a
        self.key_kernel = kernel("key_kernel", rows_shape[-1], self.units)  # U_a
        if self.score == "additive":
            self.score_kernel = kernel("score_kernel", self.units, 1)  # v_a
        self.built = True

    def keys(self, rows: Tensor) -> Tensor:
        """U_a h_j, [batch, r, units]."""
        return ops.matmul(rows, as_tensor(self.key_kernel, self.compute_dtype))

    def kernels(self) -> tuple[Tensor, ...]:
        """W_a and, if "additive", v_a."""
        kernels = [self.query_kernel]
        if self.score == "additive":
            kernels.append(self.score_kernel)
        return tuple(as_tensor(kernel, self.compute_dtype) for kernel in kernels)

    def match(self, asked: Tensor, keys: Tensor) -> Tensor:
        """W_a s or, if "additive", tanh(W_a s + U_a h_j), [batch, r, units]."""
        return asked if self.score == "dot" else ops.tanh(keys + asked[:, None, :])

    def like_matched(self, asked: Any, keys: Any) -> Any:
        return asked if self.score == "dot" else keys

    def scores(self, matched: Tensor, keys: Tensor, others: Sequence[Tensor]) -> Tensor:
        if self.score == "dot":
            return products(keys, matched)
        # One product of matrices: Keras's of [b, r, units] is a dozen operations.
        flat = ops.reshape(matched, (-1, self.units))
        return ops.reshape(ops.matmul(flat, others[0]), ops.shape(matched)[:2])

    def no_sums(self, keys: Tensor) -> list[Tensor]:
        """If "additive": Σ_t ε_t ⊙ T_t² [batch, r, units], and ∂L/∂v_a [1, units]."""
        if self.score == "dot":
            return []
        squares = ops.zeros_like(keys, dtype=self.weight_dtype)
        return [squares, squares[0, :1]]

    def scores_backward(
        self,
        matched: Tensor,
        keys: Tensor,
        others: Sequence[Tensor],
        by_scores: Tensor,
        sums: list[Tensor],
    ) -> tuple[Tensor, list[Tensor]]:
        """With ε = ∂L/∂e and T_j = tanh(W_a s + U_a h_j), "additive":

        ∂L/∂(W_a s) = v_a ⊙ (Σ_j ε_j - Σ_j ε_j T_j²),  ∂L/∂v_a = Σ_j ε_j T_j
        """
        by_row = by_scores[:, None, :]
        if self.score == "dot":
            return ops.matmul(by_row, keys)[:, 0], sums
        squares, by_kernel = sums
        square = matched * matched
        total = ops.sum(by_scores, axis=-1, keepdims=True)
        by_asked = (total - ops.matmul(by_row, square)[:, 0]) * others[0][:, 0]
        flat = ops.reshape(by_scores, (1, -1))
        more = ops.matmul(flat, ops.reshape(matched, (-1, self.units)))
        weighted = ops.cast(by_scores[:, :, None] * square, squares.dtype)
        return by_asked, [squares + weighted, by_kernel + ops.cast(more, squares.dtype)]

    def sums_backward(
        self,
        matched: Tensor,
        others: Sequence[Tensor],
        by_scores: Tensor,
        sums: Sequence[Tensor],
    ) -> tuple[Tensor, list[Tensor]]:
        if self.score == "dot":
            by_scores = ops.transpose(by_scores, (1, 2, 0))
            return ops.matmul(by_scores, ops.swapaxes(matched, 0, 1)), []
        (v,), (squares, by_kernel) = others, sums
        total = ops.sum(ops.cast(by_scores, squares.dtype), axis=0)[:, :, None]
        by_keys = ops.cast(total - squares, v.dtype) * v[:, 0]
        return by_keys, [ops.cast(ops.transpose(by_kernel), v.dtype)]

    def get_config(self) -> dict:
        return {
            **super().get_config(),
            "units": self.units,
            "score": self.score,
            "kernel_initializer": keras.initializers.serialize(self.kernel_initializer),
        }
