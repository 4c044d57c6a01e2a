"""How likely a model finds given sentence pairs."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import keras
import numpy as np
import tensorflow as tf

from neural_gpu_tf import text
from neural_gpu_tf.constants import EOS, PAD
from neural_gpu_tf.data import BATCH_SPEC, Batch
from neural_gpu_tf.decoding.size_search import candidate_sizes
from neural_gpu_tf.models.losses import cross_entropy
from neural_gpu_tf.options import DataConfig, DecodingConfig


class PairScore(NamedTuple):
    """What a model thinks of one pair."""

    log_probability: float  # Σ log p(o_t | o_0 … o_{t-1}, source), natural logarithm
    symbols: int  # of the target, its EOS included
    size: int  # of the canvas


class PairScorer:
    """The log-probability that a model gives to targets (teacher forcing).

        log p(o | source) = Σ_t log p(o_t | o_0 … o_{t-1}, source)

    with EOS as the last o_t. On the same canvas it is what decoding says of the same
    output.

    Args:
        model: gives teacher-forced logits. The measurement is traced once.
    """

    def __init__(self, model: keras.Model):
        self.model = model

    @tf.function(input_signature=[BATCH_SPEC], autograph=False)
    def __call__(self, batch: Batch) -> tf.Tensor:
        """log p of each pair, float32 [batch]."""
        logits = self.model(batch, training=False)
        nats = cross_entropy(logits, batch["target"])
        given = tf.not_equal(batch["target"], PAD)
        return -tf.reduce_sum(tf.where(given, nats, 0.0), axis=1)


def score_pairs(
    model: keras.Model,
    tokenizer: "text.SpellOutTokenizer",
    sources: Sequence[str],
    targets: Sequence[str],
    data: DataConfig,
    decoding: DecodingConfig | None = None,
) -> list[PairScore]:
    """Scores pairs, one by one, in order.

    The canvas is as in training, max(|source|, |target with EOS|) columns: what most
    call the score of a pair, and what perplexity is made of. Nothing is cut off, and a
    pair may have an empty side.

    Args:
        model: gives teacher-forced logits.
        tokenizer: that it was trained with.
        sources: sentences.
        targets: their translations.
        data: its `batch_cells` and `max_batch_size` bound a batch.
        decoding: if given, all its canvas sizes that hold the target are tried too,
            and the score is that of the canvas on which the target is likeliest, of
            equals the smallest: how likely a search over sizes would find it.
    """
    texts = [*sources, *targets]
    if not texts:  # which the tokenizer can't tell from texts of another kind
        return []
    rows = tokenizer.tokenize(texts).to_list()
    inputs = rows[: len(sources)]
    outputs = [[*row, EOS] for row in rows[len(sources) :]]
    own = [max(map(len, pair)) for pair in zip(inputs, outputs, strict=True)]
    canvases = [(size, index) for index, size in enumerate(own)]
    if decoding and model.sized:
        lengths = np.array([len(source) for source in inputs])
        for index, sizes in enumerate(np.array(candidate_sizes(lengths, decoding))):
            canvases += [(size, index) for size in sizes.tolist() if size > own[index]]
    canvases.sort()
    scorer = PairScorer(model)
    best: dict[int, PairScore] = {}
    for pack in _packs(canvases, data):
        widest = pack[-1][0]
        indices = [index for _, index in pack]
        values = scorer(
            {
                "source": _padded([inputs[index] for index in indices], widest),
                "target": _padded([outputs[index] for index in indices], widest),
                "size": tf.constant([size for size, _ in pack]),
            }
        )
        for (size, index), value in zip(pack, values.numpy().tolist(), strict=True):
            if index not in best or value > best[index].log_probability:
                best[index] = PairScore(value, len(outputs[index]), size)
    return [best[index] for index in range(len(inputs))]


def _packs(
    canvases: Sequence[tuple[int, int]], data: DataConfig
) -> Iterable[list[tuple[int, int]]]:
    """Canvases (size, index), by size, in packs of about n² batch_cells cells."""
    pack: list[tuple[int, int]] = []
    for canvas in canvases:
        most = min(data.batch_cells // canvas[0] ** 2, data.max_batch_size)
        if pack and len(pack) >= most:
            yield pack
            pack = []
        pack.append(canvas)
    if pack:
        yield pack


def _padded(rows: Sequence[Sequence[int]], columns: int) -> tf.Tensor:
    return tf.constant([[*row, *[PAD] * (columns - len(row))] for row in rows])
