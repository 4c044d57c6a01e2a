"""The learning rate as a function of the step."""

import keras
from keras import ops

from neural_gpu_tf.training.config import TrainingConfig


class LearningRate(keras.optimizers.schedules.LearningRateSchedule):
    """A linear warm-up, a level, then what `TrainingConfig.schedule` names.

    With W = warmup_steps, D = max(W, decay_from), T = train_steps and
    f = (t - D)/(T - D) the rate at step t is, times `learning_rate`:
    (t + 1)/(W + 1) for t < W; 1 for t < D; then 1, 1 - f, (1 + cos πf)/2 or
    √((D + 1)/(t + 1)).
    """

    def __init__(self, config: TrainingConfig):
        self.config = config

    def __call__(self, step):
        config = self.config
        t = ops.cast(step, "float32")
        warmup = float(config.warmup_steps)
        start = max(warmup, float(config.decay_from))
        f = (t - start) / max(float(config.train_steps) - start, 1.0)
        f = ops.clip(f, 0.0, 1.0)
        factor = {
            "constant": lambda: ops.ones_like(t),
            "linear": lambda: 1.0 - f,
            "cosine": lambda: (1.0 + ops.cos(f * 3.14159265358979)) / 2.0,
            "inverse_sqrt": lambda: ops.sqrt(
                (start + 1.0) / (ops.maximum(t, start) + 1.0)
            ),
        }[config.schedule]()
        rising = (t + 1.0) / (warmup + 1.0)
        return config.learning_rate * ops.where(t < warmup, rising, factor)

    def get_config(self) -> dict:
        return {"config": self.config}
