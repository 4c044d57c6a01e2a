"""The Neural GPU of residual units."""

from typing import Any

import keras

from neural_gpu_tf.layers import ResidualDecoder, ResidualEncoder
from neural_gpu_tf.models.extended_neural_gpu import ExtendedNeuralGPU


@keras.saving.register_keras_serializable("neural_gpu_tf")
class ResidualNeuralGPU(ExtendedNeuralGPU):
    """The Extended Neural GPU with s' = s + U * s in place of the CGRU.

    In the decoder it is s' = s + U * s + W * p. (Kaiser & Bengio 2016, §2;
    `ResidualUnit`.)

    Args, inputs and output: as `ExtendedNeuralGPU`, without `cutoff` and `gate_bias`.
        The units are linear, so kernels must start small: a gain of about 1/(n l).

    Example:
        >>> initializer = keras.initializers.Orthogonal(0.02)
        >>> model = ResidualNeuralGPU(32, maps=24, kernel_initializer=initializer)
    """

    encoder_class = ResidualEncoder
    decoder_class = ResidualDecoder

    def __init__(
        self,
        vocabulary_size: int,
        maps: int = 512,
        width: int = 4,
        layers: int = 2,
        kernel_size: int = 3,
        kernel_initializer: Any = "glorot_uniform",
        embedding_initializer: Any = "uniform",
        dropout: float = 0.0,
        dropout_by_length: bool = False,
        seed: int | None = None,
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
            seed=seed,
            **kwargs,
        )
        for name in ("cutoff", "gate_bias"):
            del self._config[name]
