"""The loss of a batch."""

from typing import NamedTuple

import keras
import tensorflow as tf

from neural_gpu_tf.constants import PAD
from neural_gpu_tf.data import Batch
from neural_gpu_tf.layers.dropout_limit import dropout_at_most
from neural_gpu_tf.models.losses import cross_entropy
from neural_gpu_tf.training.linear_cross_entropy import linear_cross_entropy


class LossSums(NamedTuple):
    """Sums over a batch; scalars, float32."""

    loss: tf.Tensor  # of the symbols that count, nats
    auxiliary: tf.Tensor  # what layers add as losses, the mean over the examples
    right: tf.Tensor  # examples with every symbol right (teacher-forced)


class BatchLoss:
    """Cross entropy of the symbols that count, summed over a batch.

    Args:
        model: whose logits are measured, in training.
        label_smoothing: see `cross_entropy`.
        blanks_count: PAD within the canvas is a symbol like any other.
        parts: how many parts of the batch are computed side by side.
        compiled: the step is compiled with XLA, which asks for sizes known before.
            Otherwise logits are made only where symbols count, and never all at once,
            if the model can tell what they are the product of (`before_readout`).
    """

    def __init__(
        self,
        model: keras.Model,
        label_smoothing: float,
        blanks_count: bool,
        parts: int,
        compiled: bool = False,
    ):
        self.model = model
        self.label_smoothing = label_smoothing
        self.blanks_count = blanks_count
        self.parts = parts
        before_readout = getattr(model, "before_readout", lambda: None)
        self._before_readout = None if compiled else before_readout()

    def __call__(self, batch: Batch, dropout: float | None = None) -> LossSums:
        """The sums; with at most so much dropout, None: the model's own."""
        with dropout_at_most(dropout):
            total = tf.shape(batch["target"])[0]
            parts = [self._sums(part, rows, total) for part, rows in self._split(batch)]
        loss, auxiliary, right = (tf.add_n(x) for x in zip(*parts, strict=True))
        return LossSums(loss, auxiliary, right)

    def counted(self, batch: Batch) -> tf.Tensor:
        """Which symbols of the target count, bool [batch, n]."""
        target = batch["target"]
        if self.blanks_count:
            return tf.sequence_mask(batch["size"], tf.shape(target)[1])
        return tf.not_equal(target, PAD)

    def _sums(
        self, batch: Batch, rows: tf.Tensor, total: tf.Tensor
    ) -> tuple[tf.Tensor, ...]:
        """Loss, share of the auxiliary loss and right examples, of the rows that count.

        What a layer adds is a mean over a part's examples, so it has their weight.
        """
        counted = self.counted(batch) & rows[:, None]
        if self._before_readout is None:
            loss, wrong = self._of_logits(batch, counted)
        else:
            loss, wrong = self._of_product(self._before_readout, batch, counted)
        right = rows & ~tf.reduce_any(wrong, axis=1)
        share = tf.math.count_nonzero(rows, dtype=tf.int32) / total
        auxiliary = tf.add_n([tf.constant(0.0), *self.model.losses])
        auxiliary *= tf.cast(share, auxiliary.dtype)
        return loss, auxiliary, tf.reduce_sum(tf.cast(right, tf.float32))

    def _of_logits(
        self, batch: Batch, counted: tf.Tensor
    ) -> tuple[tf.Tensor, tf.Tensor]:
        """Loss, and which of the symbols that count are wrong, bool [batch, n]."""
        target = batch["target"]
        logits = self.model(batch, training=True)
        nats = cross_entropy(logits, target, self.label_smoothing)
        loss = tf.reduce_sum(nats * tf.cast(counted, tf.float32))
        wrong = tf.not_equal(tf.argmax(logits, -1, output_type=tf.int32), target)
        return loss, wrong & counted

    def _of_product(
        self, before_readout: keras.Model, batch: Batch, counted: tf.Tensor
    ) -> tuple[tf.Tensor, tf.Tensor]:
        """The same, of the logits of the symbols that count alone."""
        vectors = before_readout(batch, training=True)
        matrix = tf.convert_to_tensor(self.model.readout.kernel.value)
        places = tf.where(counted)
        loss, likeliest = linear_cross_entropy(
            tf.gather_nd(vectors, places),
            tf.cast(matrix, vectors.dtype),
            tf.gather_nd(batch["target"], places),
            self.label_smoothing,
        )
        wrong = tf.scatter_nd(places, ~likeliest, tf.shape(counted, tf.int64))
        return loss, wrong

    def _split(self, batch: Batch) -> list[tuple[Batch, tf.Tensor]]:
        """The parts of a batch, and which rows of each count, bool [rows].

        A part is never empty (a convolution of no rows has no gradient): where there
        are fewer rows than parts, one is computed again and does not count.
        """
        rows = tf.shape(batch["target"])[0]
        if self.parts == 1:
            return [(batch, tf.fill([rows], True))]
        parts = []
        for i in range(self.parts):
            first, end = i * rows // self.parts, (i + 1) * rows // self.parts
            last = tf.maximum(end, first + 1)
            part = {name: value[first:last] for name, value in batch.items()}
            parts.append((part, tf.range(first, last) < end))
        return parts
