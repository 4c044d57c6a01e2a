"""Batches for the loss on a whole split."""

import bisect
import dataclasses
import itertools
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import tensorflow as tf

from neural_gpu_tf.constants import PAD
from neural_gpu_tf.data import pipeline
from neural_gpu_tf.data.buckets import bucket_table
from neural_gpu_tf.data.source import Pairs
from neural_gpu_tf.options import DataConfig

if TYPE_CHECKING:
    import tensorflow_text

_MOST_PAIRS = 64
"""In a batch: one device evaluates, and `max_batch_size` may be that of hundreds."""


def evaluation_batches(
    source: Pairs,
    tokenizer: "tensorflow_text.Tokenizer",
    config: DataConfig,
    split: str = "validation",
) -> tf.data.Dataset:
    """Every pair of a split once, in order of size, in buckets.

    Nothing is left out: the last batch of a bucket may be smaller, pairs longer than
    `config.max_length` get buckets of their own, and a pair with an empty side is an
    example like any other (its target may be EOS alone). The pairs are tokenized here,
    once, and held in memory.

    Args:
        source: the pairs.
        tokenizer: text to symbols.
        config: the data options; see `bucket_table`. No batch has more than 64 pairs.
        split: the split to read.

    Returns:
        Batches as `training_batches` gives them, but for their number of pairs.
    """
    pairs = []
    for element in pipeline.tokenized(source.dataset(split), tokenizer):
        for row in zip(_rows(element["source"]), _rows(element["target"]), strict=True):
            pairs.append((max(map(len, row)), *row))
    pairs.sort(key=lambda pair: pair[0])
    longest = pairs[-1][0] if pairs else 1
    most_pairs = min(config.max_batch_size, _MOST_PAIRS)
    config = dataclasses.replace(config, max_batch_size=most_pairs)
    table = bucket_table(config, longest=longest)
    sizes = [size for size, _ in table]

    def batches() -> Iterator[dict[str, np.ndarray]]:
        for bucket, members in itertools.groupby(
            pairs, lambda pair: bisect.bisect_left(sizes, pair[0])
        ):
            size, most = table[bucket]
            while rows := list(itertools.islice(members, most)):
                yield _padded(rows, size)

    return pipeline.prefetched(
        tf.data.Dataset.from_generator(
            batches,
            output_signature=pipeline.BATCH_SPEC,
        )
    )


def _rows(symbols: tf.RaggedTensor) -> list[np.ndarray]:
    return np.split(symbols.values.numpy(), symbols.row_splits.numpy()[1:-1])


def _padded(
    rows: list[tuple[int, np.ndarray, np.ndarray]], size: int
) -> dict[str, np.ndarray]:
    source, target = np.full((2, len(rows), size), PAD, np.int32)
    for row, (_, symbols, others) in enumerate(rows):
        source[row, : len(symbols)] = symbols
        target[row, : len(others)] = others
    return {
        "source": source,
        "target": target,
        "size": np.array([row[0] for row in rows], np.int32),
    }
