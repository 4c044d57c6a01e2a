"""Encoder and decoder of residual units."""

from typing import Any

import keras

from neural_gpu_tf.layers.active_memory_decoder import ActiveMemoryDecoder
from neural_gpu_tf.layers.active_memory_encoder import ActiveMemoryEncoder
from neural_gpu_tf.layers.residual_unit import ResidualUnit, TapeResidualUnit


class _WithoutGates(ActiveMemoryEncoder):
    """Takes no options of gates."""

    unit_options = ()

    def __init__(
        self,
        maps: int,
        layers: int = 2,
        kernel_size: tuple[int, int] = (3, 3),
        kernel_initializer: Any = "glorot_uniform",
        dropout: float = 0.0,
        dropout_by_length: bool = False,
        seed: int | None = None,
        **kwargs: Any,
    ):
        super().__init__(
            maps,
            layers=layers,
            kernel_size=kernel_size,
            kernel_initializer=kernel_initializer,
            dropout=dropout,
            dropout_by_length=dropout_by_length,
            seed=seed,
            **kwargs,
        )


@keras.saving.register_keras_serializable("neural_gpu_tf")
class ResidualEncoder(_WithoutGates):
    """`ActiveMemoryEncoder` of `ResidualUnit`s, without options of gates."""

    unit = ResidualUnit


@keras.saving.register_keras_serializable("neural_gpu_tf")
class ResidualDecoder(_WithoutGates, ActiveMemoryDecoder):
    """`ActiveMemoryDecoder` of `TapeResidualUnit`s, without options of gates."""

    unit = TapeResidualUnit
