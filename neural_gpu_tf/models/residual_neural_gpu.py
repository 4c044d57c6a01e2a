"""The Neural GPU of residual units."""

from typing import Any

import keras

from neural_gpu_tf.layers import ResidualUnit, TapeResidualUnit
from neural_gpu_tf.models.active_memory_model import EMBEDDINGS, ActiveMemoryModel
from neural_gpu_tf.models.tape_decoding import TapeDecoding

SMALL_KERNELS = keras.initializers.Orthogonal(0.05)
"""The units are linear: s grows by 1 + gain a unit, n l times, and so its gradient."""


@keras.saving.register_keras_serializable("neural_gpu_tf")
class ResidualNeuralGPU(TapeDecoding, ActiveMemoryModel):
    """The Extended Neural GPU with s' = s + U * s in place of the CGRU.

    In the decoder it is s' = s + U * s + W * p. (Kaiser & Bengio 2016;
    `ResidualUnit`.)

    Args, inputs and output: as `ActiveMemoryModel`.
        The units are linear, so kernels must start small: a gain of about 1/(n l).

    Example:
        >>> initializer = keras.initializers.Orthogonal(0.02)
        >>> model = ResidualNeuralGPU(32, maps=24, kernel_initializer=initializer)
    """

    def __init__(
        self,
        vocabulary_size: int,
        maps: int = 512,
        width: int = 4,
        layers: int = 2,
        kernel_size: int = 3,
        kernel_initializer: Any = SMALL_KERNELS,
        embedding_initializer: Any = EMBEDDINGS,
        dropout: float = 0.0,
        dropout_by_length: bool = False,
        checkpointing: bool = False,
        relaxations: int = 1,
        seed: int | None = None,
        dtype: Any = None,
        **kwargs: Any,
    ):
        super().__init__(
            vocabulary_size,
            ResidualUnit,
            TapeResidualUnit,
            maps=maps,
            width=width,
            layers=layers,
            kernel_size=kernel_size,
            kernel_initializer=kernel_initializer,
            embedding_initializer=embedding_initializer,
            dropout=dropout,
            dropout_by_length=dropout_by_length,
            checkpointing=checkpointing,
            relaxations=relaxations,
            seed=seed,
            dtype=dtype,
            unit_options={},
            **kwargs,
        )
