"""The Neural GPU of residual units."""

import keras

from neural_gpu_tf.layers import ResidualDecoder, ResidualEncoder
from neural_gpu_tf.models.extended_neural_gpu import ExtendedNeuralGPU
from neural_gpu_tf.models.without_gate_options import WithoutGateOptions


@keras.saving.register_keras_serializable("neural_gpu_tf")
class ResidualNeuralGPU(WithoutGateOptions, ExtendedNeuralGPU):
    """The Extended Neural GPU with s' = s + U * s in place of the CGRU.

    In the decoder it is s' = s + U * s + W * p. (Kaiser & Bengio 2016;
    `ResidualUnit`.)

    Args, inputs and output: as `ExtendedNeuralGPU`, without `cutoff` and `gate_bias`.
        The units are linear, so kernels must start small: a gain of about 1/(n l).

    Example:
        >>> initializer = keras.initializers.Orthogonal(0.02)
        >>> model = ResidualNeuralGPU(32, maps=24, kernel_initializer=initializer)
    """

    encoder_class = ResidualEncoder
    decoder_class = ResidualDecoder
