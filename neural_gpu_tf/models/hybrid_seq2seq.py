"""The recurrent encoder and decoder with attention to an active memory."""

from collections.abc import Mapping
from typing import Any

import keras

from neural_gpu_tf.layers.memory_annotations import MemoryAnnotations
from neural_gpu_tf.layers.recurrent_encoder import States
from neural_gpu_tf.models.attention_seq2seq import AttentionSeq2Seq
from neural_gpu_tf.models.recurrent_model import EMBEDDINGS, KERNELS, RecurrentModel
from neural_gpu_tf.types import Tensor


@keras.saving.register_keras_serializable("neural_gpu_tf")
class HybridSeq2Seq(AttentionSeq2Seq):
    """Attention to the annotations of a source and to an active memory made of them.

        h, s_0   = the encoder's annotations and last states   (`RecurrentEncoder`)
        a_k      = [h_k; column k of the memory]               (`MemoryAnnotations`)
        c_t, α_t = additive attention of s^l_{t-1} to a        (`MemoryAttention`)

    and the rest as `AttentionSeq2Seq`. (A model of this library, for a question that
    "Can Active Memory Replace Attention?" leaves open: whether both together are better
    than either alone.)

    Args, inputs and output: as `RecurrentModel`, and

        maps: m of the memory.
        memory_steps: of the memory, each with weights of its own.
        kernel_size: columns that its convolutions cover.
        cutoff, gate_bias: of its gates, see `CGRU`.

    A PAD between symbols is an empty column of the memory between its neighbours.

    Example:
        >>> model = HybridSeq2Seq(vocabulary_size=32, units=24, maps=8)
        >>> source, size = keras.ops.ones((2, 5), "int32"), keras.ops.array([5, 3])
        >>> model.start(source, size).decoder.memory.rows.shape
        (2, 5, 32)
    """

    def __init__(
        self,
        vocabulary_size: int,
        units: int = 1024,
        embedding_size: int = 512,
        layers: int = 2,
        cell: str = "gru",
        bidirectional: bool = False,
        maps: int = 512,
        memory_steps: int = 2,
        kernel_size: int = 3,
        cutoff: float = 1.2,
        gate_bias: float | tuple[float, float] = 1.0,
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
                maps=maps,
                memory_steps=memory_steps,
                kernel_size=kernel_size,
                cutoff=cutoff,
                gate_bias=gate_bias,
            ),
            **kwargs,
        )

    @staticmethod
    def own_layers(
        own: Mapping[str, Any], kernel_initializer: Any, dtype: Any
    ) -> dict[str, keras.layers.Layer]:
        return {
            "memory_annotations": MemoryAnnotations(
                own["maps"],
                own["memory_steps"],
                own["kernel_size"],
                own["cutoff"],
                own["gate_bias"],
                kernel_initializer,
                dtype=dtype,
                name="memory_annotations",
            )
        }

    @staticmethod
    def encode(
        parts: Mapping[str, keras.layers.Layer], source: Tensor, size: Tensor
    ) -> tuple[States, Tensor, Tensor | None]:
        """s_0, the rows a [batch, n, d + m], and which of them exist."""
        initial_state, annotations, mask = RecurrentModel.encode(parts, source, size)
        return initial_state, parts["memory_annotations"](annotations, mask), mask
