"""Attention: reading a weighted sum of rows."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import keras
from keras import ops

from neural_gpu_tf.layers.loops import as_tensor
from neural_gpu_tf.layers.recurrent_cells import fresh
from neural_gpu_tf.types import Tensor

SCORES = ("additive", "dot")
_NO_SCORE = -1e38  # less than any score, and finite: no NaN where no row exists


class Memory(NamedTuple):
    """What attention reads; every tensor leads with the batch."""

    rows: Tensor  # [batch, r, d]: h_j
    keys: Tensor | tuple[()]  # [batch, r, units]: U_a h_j; () in a lookup
    exists: Tensor  # bool [batch, r]


@keras.saving.register_keras_serializable("neural_gpu_tf")
class MemoryAttention(keras.layers.Layer):
    """Reads a memory's rows h_j, weighed by how well they match a query s.

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

    Input shape: query [batch, q]; rows [batch, r, d]; exists, bool [batch, r], all if
        not given.
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
        if score not in SCORES:
            raise ValueError(
                f"attention score {score!r}: there is none; choose "
                f"{' or '.join(SCORES)}"
            )
        self.units = units
        self.score = score
        self.kernel_initializer = keras.initializers.get(kernel_initializer)

    def build(
        self, query_shape: Any, rows_shape: Any, exists_shape: Any = None
    ) -> None:
        def kernel(name: str, *shape: int) -> Any:
            initializer = fresh(self.kernel_initializer)
            return self.add_weight(shape=shape, initializer=initializer, name=name)

        self.query_kernel = kernel("query_kernel", query_shape[-1], self.units)  # W_a
        self.key_kernel = kernel("key_kernel", rows_shape[-1], self.units)  # U_a
        if self.score == "additive":
            self.score_kernel = kernel("score_kernel", self.units, 1)  # v_a
        self.built = True

    def call(
        self, query: Tensor, rows: Tensor, exists: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        return self.read(query, self.remember(rows, exists))

    def remember(self, rows: Tensor, exists: Tensor | None = None) -> Memory:
        """What is computed once, before the first `read`."""
        if exists is None:
            exists = ops.ones(ops.shape(rows)[:2], dtype="bool")
        kernel = as_tensor(self.key_kernel, self.compute_dtype)
        return Memory(rows, ops.matmul(rows, kernel), exists)

    def kernels(self) -> tuple[Tensor, ...]:
        """What `read` multiplies by, as tensors: W_a and, if "additive", v_a."""
        kernels = [self.query_kernel]
        if self.score == "additive":
            kernels.append(self.score_kernel)
        return tuple(as_tensor(kernel, self.compute_dtype) for kernel in kernels)

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
        rows, keys, exists = memory
        query_kernel, *others = kernels or self.kernels()
        asked = ops.matmul(query, query_kernel)
        if self.score == "additive":
            (v,) = others
            scores = ops.matmul(ops.tanh(keys + asked[:, None, :]), v)
        else:
            scores = ops.matmul(keys, asked[:, :, None])
        scores = ops.cast(scores[:, :, 0], self.weight_dtype)
        weights = masked_softmax(scores, exists)
        context = ops.matmul(ops.cast(weights, rows.dtype)[:, None, :], rows)
        return context[:, 0], weights

    @property
    def weight_dtype(self) -> str:
        """Of α: the compute dtype, but float32 at least."""
        return keras.backend.result_type(self.compute_dtype, "float32")

    def get_config(self) -> dict:
        return {
            **super().get_config(),
            "units": self.units,
            "score": self.score,
            "kernel_initializer": keras.initializers.serialize(self.kernel_initializer),
        }


def masked_softmax(scores: Tensor, exists: Tensor) -> Tensor:
    """Softmax over the rows that exist, 0 in the others; [batch, r] each."""
    highest = ops.max(ops.where(exists, scores, _NO_SCORE), axis=-1, keepdims=True)
    shifted = ops.where(exists, scores - ops.stop_gradient(highest), 0.0)
    weights = ops.exp(shifted) * ops.cast(exists, scores.dtype)
    total = ops.sum(weights, axis=-1, keepdims=True)
    return weights / ops.where(total > 0, total, 1.0)  # 0 where none exists
