"""The CGRU that also sees a tape."""

import keras

from neural_gpu_tf.layers.cgru import CGRU
from neural_gpu_tf.layers.on_tape import OnTape


@keras.saving.register_keras_serializable("neural_gpu_tf")
class TapeCGRU(OnTape, CGRU):
    """CGRU conditioned on an output tape p, a canvas of its own.

        CGRU^d(s, p) = u ⊙ s + (1 - u) ⊙ tanh(U * (r ⊙ s) + W * p + B)
        u            = σ'(U' * s + W' * p + B')
        r            = σ'(U'' * s + W'' * p + B'')

    (Kaiser & Bengio 2016, "Can Active Memory Replace Attention?", §2.2.)

    Args: as `CGRU`. W', W'' and W are one kernel, `tape_kernel`.

    Input shape: canvas and tape [batch, n, w, m]; active, 1 or 0 or bool, [batch or 1,
        n, w or 1, 1], optional.
    Output shape: [batch, n, w, m]. A mask is passed on, not applied.

    Example:
        >>> canvas, tape = np.ones((32, 20, 4, 24)), np.zeros((32, 20, 4, 24))
        >>> TapeCGRU(maps=24)(canvas, tape).shape
        (32, 20, 4, 24)
    """
