"""Gradient noise that falls with the steps."""

from collections.abc import Sequence

import tensorflow as tf


def noise_deviation(scale: float, t: tf.Tensor, error: tf.Tensor) -> tf.Tensor:
    """Standard deviation of the gradient noise: s (1 + t)^-0.275 √e.

    The variance falls with (1 + t)^-0.55 (Neelakantan et al. 2015, "Adding Gradient
    Noise Improves Learning for Very Deep Networks", §3); the root of e, the share of
    examples that are not wholly right, is that of Kaiser and Sutskever's trainer
    (2016). There e is the share among the last 200 batches less 0.02, here that of the
    batch; and their public code computes the noise, but does not add it.

    Args:
        scale: s.
        t: the step, from 0.
        error: e.
    """
    return scale * tf.pow(1.0 + tf.cast(t, tf.float32), -0.275) * tf.sqrt(error)


def with_noise(
    gradients: Sequence[tf.Tensor], deviation: tf.Tensor, t: tf.Tensor, seed: int
) -> list[tf.Tensor]:
    """The gradients with N(0, 1) times `deviation` added.

    It is the same on every replica, a function of the seed and t, int64.
    """
    return [
        g
        + deviation
        * tf.random.stateless_normal(tf.shape(g), tf.stack([1000 * seed + i, t]))
        for i, g in enumerate(gradients)
    ]
