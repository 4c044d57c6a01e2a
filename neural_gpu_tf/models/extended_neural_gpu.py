"""The Extended Neural GPU."""

import keras

from neural_gpu_tf.models.gated_model import GatedModel
from neural_gpu_tf.models.tape_decoding import TapeDecoding


@keras.saving.register_keras_serializable("neural_gpu_tf")
class ExtendedNeuralGPU(TapeDecoding, GatedModel):
    """The Extended Neural GPU: active memory with an autoregressive decoder.

        s_n     = the encoder's canvas after n steps   (`ActiveMemoryModel`)
        d_0     = s_n, p_0 = 0
        d_{t+1} = CGRU^d(d_t, p_t)                     (`ActiveMemoryDecoder`)
        l_t     = O d_{t+1}[t, 0]
        p_{t+1} = p_t with p_{t+1}[t, 0] = E' o_t

    (Kaiser & Bengio 2016, "Can Active Memory Replace Attention?", §2.2.)

    Args, inputs and output: as `GatedModel`.

    Example:
        >>> model = ExtendedNeuralGPU(vocabulary_size=32, maps=24)
        >>> symbols = keras.ops.ones((2, 5), "int32")
        >>> size = keras.ops.array([5, 3])
        >>> model({"source": symbols, "target": symbols, "size": size}).shape
        (2, 5, 32)
    """
