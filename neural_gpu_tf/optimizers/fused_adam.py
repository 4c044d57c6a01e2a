"""Adam whose update of a weight is one pass over the memory."""

from typing import Any

import keras
from keras import ops

_BACKEND = keras.backend.backend()
if _BACKEND == "tensorflow":
    import tensorflow as tf


@keras.saving.register_keras_serializable("neural_gpu_tf")
class FusedAdam(keras.optimizers.Adam):
    """Keras's Adam, its variables and its numbers, by TensorFlow's own operation.

        m ← m + (1 - β1) (g - m)
        v ← v + (1 - β2) (g² - v)
        θ ← θ - α √(1 - β2^t) / (1 - β1^t) · m / (√v + ε)

    (Kingma & Ba 2014, §2, the order of operations before its last line.) Keras computes
    it by nine operations, each of which reads and writes arrays as large as the weight.
    Under other backends it is Keras's. Of an embedding's gradient, a row that occurs
    several times counts by the sum of its parts, as in a dense gradient; there Keras's
    Adam has other numbers than of the dense one.

    Args: as `keras.optimizers.Adam`.
    """

    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
        if _BACKEND != "tensorflow" or self.amsgrad:
            super().update_step(gradient, variable, learning_rate)
            return
        index, dtype = self._get_variable_index(variable), variable.dtype
        t = ops.cast(self.iterations + 1, dtype)
        beta_1, beta_2 = (ops.cast(x, dtype) for x in (self.beta_1, self.beta_2))
        tf.raw_ops.ResourceApplyAdam(
            var=variable.handle,
            m=self._momentums[index].value.handle,
            v=self._velocities[index].value.handle,
            beta1_power=ops.power(beta_1, t),
            beta2_power=ops.power(beta_2, t),
            lr=ops.cast(learning_rate, dtype),
            beta1=beta_1,
            beta2=beta_2,
            epsilon=ops.cast(self.epsilon, dtype),
            grad=ops.cast(gradient, dtype),
        )
