"""Base of the models of CGRUs."""

from typing import Any

from neural_gpu_tf.layers import CGRU, TapeCGRU
from neural_gpu_tf.models.active_memory_model import EMBEDDINGS, ActiveMemoryModel


class GatedModel(ActiveMemoryModel):
    """An `ActiveMemoryModel` whose units are CGRUs.

    Args:
        vocabulary_size, maps, width, layers, kernel_size, kernel_initializer,
            embedding_initializer, dropout, dropout_by_length, gradient_checkpointing,
            relaxations, padding, seed, dtype: as `ActiveMemoryModel`.
        cutoff: of the gates; 1.2 as published, 1 for plain sigmoids.
        gate_bias: start of the gates' biases, one number or (update, reset).

    Inputs and output: as `SequenceModel`.
    """

    unit = CGRU
    tape_unit = TapeCGRU

    def __init__(
        self,
        vocabulary_size: int,
        maps: int = 512,
        width: int = 4,
        layers: int = 2,
        kernel_size: int = 3,
        cutoff: float = 1.2,
        gate_bias: float | tuple[float, float] = 1.0,
        kernel_initializer: Any = None,
        embedding_initializer: Any = EMBEDDINGS,
        dropout: float = 0.0,
        dropout_by_length: bool = False,
        gradient_checkpointing: bool = False,
        relaxations: int = 1,
        padding: str = "zero",
        seed: int | None = None,
        dtype: Any = None,
        **kwargs: Any,
    ):
        super().__init__(
            vocabulary_size,
            maps=maps,
            width=width,
            layers=layers,
            kernel_size=kernel_size,
            kernel_initializer=kernel_initializer,
            embedding_initializer=embedding_initializer,
            dropout=dropout,
            dropout_by_length=dropout_by_length,
            gradient_checkpointing=gradient_checkpointing,
            relaxations=relaxations,
            padding=padding,
            seed=seed,
            dtype=dtype,
            own=dict(cutoff=cutoff, gate_bias=gate_bias),
            **kwargs,
        )
