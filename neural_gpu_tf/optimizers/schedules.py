"""The learning rate as a function of the step."""

import math
from typing import Any

import keras
from keras import ops

SCHEDULES = ("constant", "linear", "cosine", "inverse_sqrt")


@keras.saving.register_keras_serializable("neural_gpu_tf")
class LearningRate(keras.optimizers.schedules.LearningRateSchedule):
    """A linear warm-up, a level, then a fall.

    With W = warmup_steps, D = max(W, decay_from), T = train_steps and
    f = (t - D)/(T - D) the rate at step t is, times `learning_rate`:
    (t + 1)/(W + 1) for t < W; 1 for t < D; then 1, 1 - f, (1 + cos πf)/2 or
    √((D + 1)/(t + 1)), by the schedule.

    Args:
        learning_rate: the highest.
        schedule: "constant", "linear", "cosine" or "inverse_sqrt".
        warmup_steps: W.
        decay_from: the step up to which it does not fall.
        train_steps: T, of "linear" and "cosine".

    Raises:
        ValueError: there is no such schedule, or it needs `train_steps`.

    Example:
        >>> rate = LearningRate(0.1, schedule="linear", warmup_steps=4, train_steps=20)
        >>> [round(float(rate(step)), 3) for step in (0, 4, 12, 20)]
        [0.02, 0.1, 0.05, 0.0]
    """

    def __init__(
        self,
        learning_rate: float,
        schedule: str = "constant",
        warmup_steps: int = 0,
        decay_from: int = 0,
        train_steps: int = 0,
    ):
        if schedule not in SCHEDULES:
            raise ValueError(
                f"schedule={schedule!r}: unknown; choose {', '.join(SCHEDULES)}"
            )
        if schedule in ("linear", "cosine") and train_steps < 1:
            raise ValueError(f"schedule={schedule!r}: needs train_steps, at least 1")
        self.learning_rate = learning_rate
        self.schedule = schedule
        self.warmup_steps = warmup_steps
        self.decay_from = decay_from
        self.train_steps = train_steps

    def __call__(self, step: Any) -> Any:
        t = ops.cast(step, "float32")
        warmup = float(self.warmup_steps)
        start = max(warmup, float(self.decay_from))
        f = (t - start) / max(float(self.train_steps) - start, 1.0)
        f = ops.clip(f, 0.0, 1.0)
        factor = {
            "constant": lambda: ops.ones_like(t),
            "linear": lambda: 1.0 - f,
            "cosine": lambda: (1.0 + ops.cos(f * math.pi)) / 2.0,
            "inverse_sqrt": lambda: ops.sqrt(
                (start + 1.0) / (ops.maximum(t, start) + 1.0)
            ),
        }[self.schedule]()
        rising = (t + 1.0) / (warmup + 1.0)
        return self.learning_rate * ops.where(t < warmup, rising, factor)

    def get_config(self) -> dict:
        return {
            "learning_rate": self.learning_rate,
            "schedule": self.schedule,
            "warmup_steps": self.warmup_steps,
            "decay_from": self.decay_from,
            "train_steps": self.train_steps,
        }
