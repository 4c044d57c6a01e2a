"""An epoch of training batches."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import tensorflow as tf
from absl import logging

from neural_gpu_tf.data import pipeline
from neural_gpu_tf.data.buckets import bucket_table
from neural_gpu_tf.data.epoch_counts import EpochCounts
from neural_gpu_tf.data.source import Source
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.options import DataConfig

if TYPE_CHECKING:
    import tensorflow_text


def log_counts(counts: EpochCounts) -> None:
    """Logs an epoch's counts; as a warning if pairs were skipped."""
    skipped = counts.empty + counts.long
    logging.log(logging.WARNING if skipped else logging.INFO, "%s", counts)


def training_batches(
    source: Source,
    tokenizer: "tensorflow_text.Tokenizer",
    config: DataConfig,
    epoch: int,
    replicas: int = 1,
    skip: int = 0,
    report: Callable[[EpochCounts], None] = log_counts,
) -> tf.data.Dataset:
    """One epoch of training batches, in an order that is a function of (seed, epoch).

    There may be none; whether there can be any, `check_fills_a_batch` tells.
    Pairs that are empty on one side or need a larger canvas than `config.max_length`
    are skipped; what is left over in a bucket at the end of the epoch is dropped (other
    pairs each epoch). `report` gets the numbers, once, when the epoch's last pair has
    been read.

    Args:
        source: the pairs; its "train" split is read.
        tokenizer: text to symbols.
        config: the data options; see `bucket_table` for the sizes of batches.
        epoch: number of the epoch, from 0.
        replicas: devices that share a batch.
        skip: batches to leave out at the start, to go on exactly where a run stopped.
        report: what to do with the counts; logs them unless given.

    Returns:
        Batches of the whole group of replicas: dict of int32 tensors source
        [batch, n], target [batch, n] (ends with EOS, then PAD) and size [batch].
    """
    table = bucket_table(config, replicas)

    def tell(histogram: np.ndarray) -> None:
        report(EpochCounts.from_sizes(epoch, histogram, table))

    texts = source.dataset("train")
    texts = pipeline.shuffled(texts, config.shuffle_buffer, config.seed, epoch)
    pairs = pipeline.tokenized(texts, tokenizer)
    pairs = pipeline.widened(
        pairs, config.extra_columns, config.max_length, config.seed, epoch
    )
    pairs = pipeline.counted(pairs, config.max_length, tell)
    pairs = pipeline.without_long(pairs, config.max_length)
    batches = pipeline.bucketed(pairs, table)
    return pipeline.prefetched(batches.skip(skip))


def check_fills_a_batch(
    source: Source,
    tokenizer: "tensorflow_text.Tokenizer",
    config: DataConfig,
    replicas: int = 1,
) -> None:
    """Raises InputError if no bucket gets a full batch, whatever the order.

    With `config.extra_columns` an epoch may have none for all that; see `Epochs`.
    Reads, in file order, only until the first bucket is full.

    Args:
        source, tokenizer, config, replicas: as for `training_batches`.
    """
    texts, table = source.dataset("train"), bucket_table(config, replicas)
    histogram = np.zeros(config.max_length + 2, np.int64)
    for pairs in pipeline.tokenized(texts, tokenizer):
        sizes = np.minimum(pairs["size"], config.max_length + 1)
        histogram += np.bincount(sizes, minlength=len(histogram))
        if EpochCounts.from_sizes(0, histogram, table).batches:
            return
    raise InputError(
        f"data={config.data}: {histogram[1:-1].sum()} training pairs of 1 to "
        f"{config.max_length} symbols do not fill one batch; give more pairs, or lower "
        "--max_batch_size or --batch_cells, or raise --max_length"
    )
