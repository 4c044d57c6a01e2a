"""The recurrent encoder and decoder with a fixed-size memory between them."""

from collections.abc import Mapping
from typing import Any

import keras
from keras import ops

from neural_gpu_tf.layers.fixed_memory import FixedMemory
from neural_gpu_tf.layers.recurrent_encoder import States
from neural_gpu_tf.models.recurrent_model import (
    EMBEDDINGS,
    KERNELS,
    RecurrentModel,
)
from neural_gpu_tf.types import Tensor


@keras.saving.register_keras_serializable("neural_gpu_tf")
class FixedMemorySeq2Seq(RecurrentModel):
    """Recurrent encoder and decoder with attention to K contexts, made in encoding.

        h, s_0   = the encoder's annotations and last states   (`RecurrentEncoder`)
        C        = Σ_s α_s h_s, K rows                         (`FixedMemory`)
        β_t      = softmax(W_β s^l_{t-1})                      (`MemoryLookup`)
        c_t      = Σ_k β_tk C_k
        s_t      = the decoder's, from s_{t-1}, E' o_{t-1} and c_t
        l_t      = O maxout(U_o s_t + V_o E' o_{t-1} + C_o c_t + b_o)

    (Britz, Guan & Luong 2017, "Efficient Attention using a Fixed-Size Memory
    Representation".) The decoder never touches the source's states, so reading a
    source S and writing a target T costs O(K D (|S| + |T|)), not O(D |S| |T|).

    Args, inputs and output: as `RecurrentModel`, and

        contexts: K.
        position_encoding: whether positions tell contexts apart, see `FixedMemory`.
        attention_score: what weighs the contexts: "state", the decoder's state alone,
            as published; "additive" or "dot": how well each matches it, which the paper
            has not (`MemoryAttention`).
        encoder_scoring: of α, "softmax" or "sigmoid".
        decoder_scoring: of β with "state", likewise.

    Example:
        >>> model = FixedMemorySeq2Seq(vocabulary_size=32, units=24, contexts=8)
        >>> source, size = keras.ops.ones((2, 5), "int32"), keras.ops.array([5, 3])
        >>> model.start(source, size).memory.rows.shape
        (2, 8, 24)
    """

    aligns = True

    def __init__(
        self,
        vocabulary_size: int,
        units: int = 1024,
        embedding_size: int = 512,
        layers: int = 2,
        cell: str = "gru",
        bidirectional: bool = False,
        contexts: int = 64,
        position_encoding: bool = False,
        attention_score: str = "state",
        encoder_scoring: str = "softmax",
        decoder_scoring: str = "softmax",
        kernel_initializer: Any = KERNELS,
        recurrent_initializer: Any = "orthogonal",
        embedding_initializer: Any = EMBEDDINGS,
        dropout: float = 0.0,
        seed: int | None = None,
        dtype: Any = None,
        **kwargs: Any,
    ):
        super().__init__(
            vocabulary_size,
            units=units,
            embedding_size=embedding_size,
            layers=layers,
            cell=cell,
            bidirectional=bidirectional,
            kernel_initializer=kernel_initializer,
            recurrent_initializer=recurrent_initializer,
            embedding_initializer=embedding_initializer,
            dropout=dropout,
            seed=seed,
            dtype=dtype,
            own=dict(
                contexts=contexts,
                position_encoding=position_encoding,
                attention_score=attention_score,
                encoder_scoring=encoder_scoring,
                decoder_scoring=decoder_scoring,
            ),
            **kwargs,
        )

    @staticmethod
    def own_layers(
        own: Mapping[str, Any], kernel_initializer: Any, dtype: Any
    ) -> dict[str, keras.layers.Layer]:
        return {
            "fixed_memory": FixedMemory(
                own["contexts"],
                own["position_encoding"],
                kernel_initializer,
                scoring=own["encoder_scoring"],
                dtype=dtype,
                name="fixed_memory",
            )
        }

    @staticmethod
    def encode(
        parts: Mapping[str, keras.layers.Layer], source: Tensor, size: Tensor
    ) -> tuple[States, Tensor, None]:
        """s_0 and C; all K rows exist."""
        initial_state, annotations, mask = RecurrentModel.encode(parts, source, size)
        return initial_state, parts["fixed_memory"](annotations, mask), None

    def alignments(self, source: Tensor, target: Tensor, size: Tensor) -> Tensor:
        """How much of each source symbol a target was made of: Σ_k β_tk α_sk.

        c_t is the sum of the annotations with these weights.

        Args:
            source: symbols [batch, n].
            target: symbols [batch, n], a gold target or the model's own output.
            size: n_b, [batch].

        Returns:
            [batch, n of the target, n of the source], 0 in rows t ≥ n_b. Rows don't
            sum to 1: the memory is a sum over the source.
        """
        initial_state, annotations, mask = RecurrentModel.encode(
            self.parts(), source, size
        )
        contexts = self.fixed_memory(annotations, mask)
        written = self.fixed_memory.weights_of(annotations, mask)
        read = self.forced_weights(target, size, initial_state, contexts)
        return ops.matmul(read, ops.transpose(written, (0, 2, 1)))
