"""Encoder and decoder of residual units."""

import keras

from neural_gpu_tf.layers.active_memory_decoder import ActiveMemoryDecoder
from neural_gpu_tf.layers.residual_unit import ResidualUnit, TapeResidualUnit
from neural_gpu_tf.layers.without_gate_options import WithoutGateOptions


@keras.saving.register_keras_serializable("neural_gpu_tf")
class ResidualEncoder(WithoutGateOptions):
    """`ActiveMemoryEncoder` of `ResidualUnit`s, without options of gates."""

    unit = ResidualUnit


@keras.saving.register_keras_serializable("neural_gpu_tf")
class ResidualDecoder(WithoutGateOptions, ActiveMemoryDecoder):
    """`ActiveMemoryDecoder` of `TapeResidualUnit`s, without options of gates."""

    unit = TapeResidualUnit
