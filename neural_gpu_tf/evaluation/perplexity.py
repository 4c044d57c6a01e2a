"""Perplexity, with the reference given."""

import math
from collections.abc import Iterable
from typing import NamedTuple

import keras
import tensorflow as tf

from neural_gpu_tf.evaluation.score_pairs import PairScorer


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
        self._score = PairScorer(model)

    def __call__(self, batches: Iterable[dict[str, tf.Tensor]]) -> Surprisal:
        """Sums over `data.evaluation_batches`."""
        nats, symbols = 0.0, 0
        for batch in batches:
            nats -= float(tf.reduce_sum(self._score(batch)))
            symbols += int(tf.math.count_nonzero(batch["target"]))  # PAD is 0
        return Surprisal(nats, symbols)
