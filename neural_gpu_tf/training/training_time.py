"""The seconds that a run has been trained for."""

import time

import numpy as np
import tensorflow as tf


class TrainingTime:
    """Seconds of training in all starts, and what is left of them.

    Args:
        minutes: after which training ends; 0: never.
    """

    def __init__(self, minutes: float):
        self.seconds = tf.Variable(0.0, dtype=tf.float64, trainable=False)
        self._limit = 60 * minutes if minutes else np.inf
        self._noted = 0.0

    def begin(self) -> None:
        """Training begins or resumes now."""
        self._noted = time.monotonic()

    def note(self) -> float:
        """Adds what has passed since the last call; returns the seconds in all."""
        now = time.monotonic()
        self.seconds.assign_add(now - self._noted)
        self._noted = now
        return float(self.seconds.numpy())

    def left(self) -> float:
        """Seconds until the limit, as of the last `note`."""
        return self._limit - float(self.seconds.numpy())

    def is_over(self) -> bool:
        """Whether the limit is reached now."""
        if np.isfinite(self._limit):
            self.note()
        return self.left() <= 0
