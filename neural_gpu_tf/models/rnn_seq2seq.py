"""The recurrent encoder and decoder without attention."""

import keras

from neural_gpu_tf.models.recurrent_model import RecurrentModel


@keras.saving.register_keras_serializable("neural_gpu_tf")
class RNNSeq2Seq(RecurrentModel):
    """Recurrent encoder and decoder; the encoder's last states start the decoder.

        s_0 = the encoder's last states                    (`RecurrentEncoder`)
        s_t = the decoder's, from s_{t-1} and E' o_{t-1}   (`RecurrentDecoder`)
        l_t = O maxout(U_o s_t + V_o E' o_{t-1} + b_o)

    (Sutskever et al. 2014, "Sequence to Sequence Learning with Neural Networks", layer
    for layer; RNNenc of Bahdanau et al. 2014, which is Cho et al. 2014, also shows s_0
    to every step.) All that the decoder knows of the source is in s_0.

    Args, inputs and output: as `RecurrentModel`.

    Example:
        >>> model = RNNSeq2Seq(vocabulary_size=32, units=24, embedding_size=16)
        >>> symbols = keras.ops.ones((2, 5), "int32")
        >>> size = keras.ops.array([5, 3])
        >>> model({"source": symbols, "target": symbols, "size": size}).shape
        (2, 5, 32)
    """
