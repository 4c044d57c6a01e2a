"""AdaMax that clips each gradient by what was usual for it."""

from typing import Any

import keras
from keras import ops

_BACKEND = keras.backend.backend()
if _BACKEND == "tensorflow":
    import tensorflow as tf


@keras.saving.register_keras_serializable("neural_gpu_tf")
class ClippedAdamax(keras.optimizers.Adamax):
    """AdaMax with a clip for each weight of its own, as the diagonal Neural GPU needs.

        c = 1.2 u + 1e-4;  g ← max(-c, min(c, g))
        m ← β1 m + (1 - β1) g
        u ← max(β2 u, |g|),  β2 = 1 - max(0.0005, 0.01 · 2^(-t/2000))
        θ ← θ - α m/(u + ε)

    So one wild gradient can raise the running maximum u by a fifth and 1e-4, no more,
    and the first steps are small. (Freivalds & Liepins 2017, §3, and their code; Kingma
    & Ba 2014, §7.1, without the correction of m.)

    Args:
        learning_rate: α.
        beta_1: β1.
        epsilon: ε.
    """

    def __init__(
        self,
        learning_rate: Any = 0.01,
        beta_1: float = 0.9,
        epsilon: float = 1e-8,
        **kwargs: Any,
    ):
        if "beta_2" in kwargs:
            raise ValueError("beta_2: follows from the step; leave it out")
        super().__init__(learning_rate, beta_1=beta_1, epsilon=epsilon, **kwargs)

    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
        if _BACKEND == "tensorflow":  # an embedding's has rows of what was looked up
            gradient = tf.convert_to_tensor(gradient)
        index = self._get_variable_index(variable)
        m, u = self._m[index], self._u[index]
        rate = ops.cast(learning_rate, variable.dtype)
        t = ops.cast(self.iterations, variable.dtype)
        forgotten = ops.maximum(0.0005, 0.01 * ops.power(2.0, -t / 2000.0))
        limit = 1.2 * u + 1e-4
        g = ops.clip(ops.cast(gradient, variable.dtype), -limit, limit)
        self.assign_add(m, (1.0 - self.beta_1) * (g - m))
        self.assign(u, ops.maximum((1.0 - forgotten) * u, ops.abs(g)))
        self.assign_sub(variable, rate * m / (u + self.epsilon))

    def get_config(self) -> dict:
        config = super().get_config()
        del config["beta_2"]
        return config
