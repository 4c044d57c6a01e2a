"""Clipping by the running mean of the gradient's norm."""

import tensorflow as tf

_DECAY = 0.98


class AutoClip(tf.Module):
    """Clips the gradient at a multiple of the running geometric mean of its norm.

    Late in training a gradient of norm 1 may be five times the usual one, and one such
    step undoes hundreds; clipping by what is usual bounds it, early and late alike.
    (Seetharaman et al. 2020, "AutoClip: Adaptive Gradient Clipping for Source
    Separation Networks", clip at a percentile of all norms so far; this is a multiple
    of their running geometric mean, which needs no history.)
    """

    def __init__(self):
        super().__init__()
        aggregation = tf.VariableAggregation.ONLY_FIRST_REPLICA
        self._log = tf.Variable(0.0, trainable=False, aggregation=aggregation)
        self._steps = tf.Variable(0.0, trainable=False, aggregation=aggregation)

    def clip(self, norm: tf.Tensor, factor: float) -> tf.Tensor:
        """The norm, at most `factor` times the usual one; takes note of it.

        The first 20 norms are not clipped; one that is not finite is not noted.
        """
        usual = tf.exp(self._log.read_value())
        clipped = tf.where(self._steps < 20, norm, tf.minimum(norm, factor * usual))
        finite = tf.math.is_finite(norm)
        noted = tf.math.log(tf.maximum(tf.where(finite, clipped, usual), 1e-12))
        # A plain mean at first, then one that forgets.
        share = tf.maximum(1.0 / (self._steps + 1.0), 1.0 - _DECAY)
        change = tf.where(finite, share * (noted - self._log), 0.0)
        self._log.assign_add(change)
        self._steps.assign_add(tf.cast(finite, tf.float32))
        return clipped
