"""The Neural GPU."""

import keras

from neural_gpu_tf.models.all_at_once import AllAtOnce
from neural_gpu_tf.models.gated_model import GatedModel


@keras.saving.register_keras_serializable("neural_gpu_tf")
class NeuralGPU(AllAtOnce, GatedModel):
    """The Neural GPU: an active memory that predicts all output symbols at once.

        s_n = the encoder's canvas after n steps   (`ActiveMemoryModel`)
        l_k = O s_n[k, 0]

    (Kaiser & Sutskever 2016, "Neural GPUs Learn Algorithms", §2.)

    Args, inputs and output: as `GatedModel`; the target is not looked at.

    Example:
        >>> model = NeuralGPU(vocabulary_size=17, maps=24)
        >>> source = keras.ops.ones((2, 5), "int32")
        >>> model.solve(source, keras.ops.array([5, 3])).shape
        (2, 5, 17)
    """
