"""The Neural GPU of residual units."""

import keras

from neural_gpu_tf.layers import ResidualUnit, TapeResidualUnit
from neural_gpu_tf.layers.initializers import default
from neural_gpu_tf.models.active_memory_model import ActiveMemoryModel
from neural_gpu_tf.models.tape_decoding import TapeDecoding


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

    unit = ResidualUnit
    tape_unit = TapeResidualUnit

    kernels = default(keras.initializers.Orthogonal, 0.05)
    """The units are linear, so s and its gradient grow by 1 + gain n l times."""
