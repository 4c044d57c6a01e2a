"""Clipping by the running mean of the gradient's norm."""

import tensorflow as tf

_DECAY = 0.98


class AutoClip(tf.Module):
    """Clips the gradient at a multiple of the usual norm.

    The usual norm is the running geometric mean of the clipped norms, so that an
    outlier counts for no more than the limit; where many norms are clipped, it is below
    that of the norms themselves. A limit of the usual norm or less would shrink itself
    step by step.

    Late in training a gradient of norm 1 may be five times the usual one, and one such
    step undoes hundreds; clipping by what is usual bounds it, early and late alike.
    (Seetharaman et al. 2020, "AutoClip: Adaptive Gradient Clipping for Source
    Separation Networks", clip at a percentile of all norms so far; a running mean needs
    no history.)
    """

    def __init__(self):
        super().__init__()
        aggregation = tf.VariableAggregation.ONLY_FIRST_REPLICA
        self._log = tf.Variable(0.0, trainable=False, aggregation=aggregation)
        self._steps = tf.Variable(0.0, trainable=False, aggregation=aggregation)

    def clip(self, norm: tf.Tensor, factor: float) -> tf.Tensor:
        """The norm, at most `factor` times the usual one; takes note of it.

        The first 20 norms are not clipped; 0 and what is not finite are not noted.

        Args:
            norm: of the gradient.
            factor: above 1.
        """
        usual = tf.exp(self._log.read_value())
        clipped = tf.where(self._steps < 20, norm, tf.minimum(norm, factor * usual))
        counts = tf.math.is_finite(norm) & (norm > 0.0)
        noted = tf.math.log(tf.where(counts, clipped, usual))
        # A plain mean at first, then one that forgets.
        share = tf.maximum(1.0 / (self._steps + 1.0), 1.0 - _DECAY)
        change = tf.where(counts, share * (noted - self._log), 0.0)
        self._log.assign_add(change)
        self._steps.assign_add(tf.cast(counts, tf.float32))
        return clipped
