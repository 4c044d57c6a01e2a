"""The diagonal Neural GPU."""

import keras

from neural_gpu_tf.layers import DiagonalCGRU, DiagonalEncoder
from neural_gpu_tf.models.active_memory_model import ActiveMemoryModel
from neural_gpu_tf.models.all_at_once import AllAtOnce


@keras.saving.register_keras_serializable("neural_gpu_tf")
class DiagonalNeuralGPU(AllAtOnce, ActiveMemoryModel):
    """The Neural GPU of diagonal CGRUs: hard nonlinearities, and maps that move.

        s_n = the encoder's canvas after n steps   (`DiagonalEncoder`)
        l_k = O s_n[k, 0]

    (Freivalds & Liepins 2017, "Improving the Neural GPU Architecture for Algorithm
    Learning".) `losses` holds the cost of saturation.

    Args, inputs and output: as `ActiveMemoryModel`; the
        published settings are w = 1, l = 1, m = 96 for binary multiplication.

    Example:
        >>> model = DiagonalNeuralGPU(vocabulary_size=17)
        >>> source = keras.ops.ones((2, 5), "int32")
        >>> model.solve(source, keras.ops.array([5, 3])).shape
        (2, 5, 17)
    """

    unit = DiagonalCGRU
    encoder_class = DiagonalEncoder
