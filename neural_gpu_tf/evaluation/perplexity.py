"""Perplexity, with the reference given."""

import math
from collections.abc import Iterable
from typing import NamedTuple

import keras
import tensorflow as tf

from neural_gpu_tf.constants import PAD
from neural_gpu_tf.data import BATCH_SPEC
from neural_gpu_tf.models.losses import cross_entropy


class Surprisal(NamedTuple):
    """What a model thinks of references."""

    nats: float  # -Σ log p(o_t | o_0 … o_{t-1}, source)
    symbols: int  # of the references, an EOS each included

    def perplexity(self, count: int) -> float:
        """exp(nats / count), infinite if that is too large for a float."""
        try:
            return math.exp(self.nats / count)
        except OverflowError:
            return math.inf


class Perplexity:
    """Measures the probability that a model gives to references (teacher forcing).

        perplexity = exp(-1/N Σ log p(o_t | o_0 … o_{t-1}, source))

    Per symbol, N is the number of target symbols, an EOS each included. Per word, the
    sum is the same and N is the number of words (by white space) and, as is usual for
    language models, of ends of sentences; so different vocabularies can be compared.

    The canvas is as in training, max(|source|, |target with EOS|) columns.

    Example:
        surprisal = Perplexity(model)(evaluation_batches(source, tokenizer, config))
        surprisal.perplexity(surprisal.symbols)

    Args:
        model: gives teacher-forced logits. The measurement is traced once.
    """

    def __init__(self, model: keras.Model):
        self.model = model

    def __call__(self, batches: Iterable[dict[str, tf.Tensor]]) -> Surprisal:
        """Sums over `data.evaluation_batches`."""
        nats, symbols = 0.0, 0
        for batch in batches:
            more, count = self._surprisal(batch)
            nats += float(more)
            symbols += int(count)
        return Surprisal(nats, symbols)

    @tf.function(input_signature=[BATCH_SPEC], autograph=False)
    def _surprisal(self, batch: dict[str, tf.Tensor]) -> tuple[tf.Tensor, tf.Tensor]:
        logits = self.model(batch, training=False)
        nats = cross_entropy(logits, batch["target"])
        given = tf.not_equal(batch["target"], PAD)
        return (
            tf.reduce_sum(tf.where(given, nats, 0.0)),
            tf.math.count_nonzero(given, dtype=tf.int32),
        )
