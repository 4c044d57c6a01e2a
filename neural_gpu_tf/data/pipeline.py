"""The steps from sentence pairs to batches: functions from Dataset to Dataset.

    strings > shuffled > tokenized > widened > counted > without_long > bucketed
            > prefetched

Between tokenizer and buckets an element is some hundred *pairs*, as a step for each
pair would cost more than its tokenization: a dict of int32

    source  ragged [pairs, (length)]
    target  ragged [pairs, (length)], each ending with EOS
    size    [pairs], the canvas that a pair needs, max(len(source), len(target)), or 0
            if the source or the target (but for EOS) is empty: nothing to translate

No function here has Python control flow for AutoGraph to convert; looking for some
takes it seconds at every start.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import tensorflow as tf

from neural_gpu_tf.constants import EOS, PAD

if TYPE_CHECKING:
    import tensorflow_text

_as_it_is = tf.autograph.experimental.do_not_convert
_AT_ONCE = 512  # sentences in one call of the tokenizer

Pairs = dict[str, tf.Tensor | tf.RaggedTensor]
Batch = dict[str, tf.Tensor]

_CANVAS = tf.TensorSpec([None, None], tf.int32)
BATCH_SPEC = {
    "source": _CANVAS,
    "target": _CANVAS,
    "size": tf.TensorSpec([None], tf.int32),
}
"""A batch of any number of pairs, on a canvas of any size."""


def shuffled(
    dataset: tf.data.Dataset, buffer: int, seed: int, epoch: int
) -> tf.data.Dataset:
    """Permutes each run of `buffer` (source, target) strings.

    The order is a function of (seed, epoch) alone. (`Dataset.shuffle` also depends on
    the global seed, `tf.random.set_seed`.)
    """

    @_as_it_is
    def permuted(
        run: tf.Tensor, pairs: tuple[tf.Tensor, tf.Tensor]
    ) -> tuple[tf.Tensor, ...]:
        key = tf.random.fold_in(tf.constant([seed, epoch], tf.int64), run, "philox")
        count = tf.size(pairs[0])
        order = tf.argsort(
            tf.random.stateless_uniform(
                [count], key, None, None, tf.int64, alg="philox"
            ),
            stable=True,
        )
        return tuple(tf.gather(texts, order) for texts in pairs)

    runs = dataset.batch(buffer).enumerate()
    return runs.map(permuted).unbatch()


def tokenized(
    dataset: tf.data.Dataset, tokenizer: "tensorflow_text.Tokenizer"
) -> tf.data.Dataset:
    """(source, target) strings to pairs, in the same order."""

    @_as_it_is
    def pairs(source: tf.Tensor, target: tf.Tensor) -> Pairs:
        count = tf.size(source)
        both = tokenizer.tokenize(tf.concat([source, target], axis=0))
        both = tf.cast(both, tf.int32)
        sources, targets = both[:count], both[count:]
        lengths, others = (
            tf.cast(symbols.row_lengths(), tf.int32) for symbols in (sources, targets)
        )
        empty = tf.equal(lengths, 0) | tf.equal(others, 0)
        ends = tf.fill([count, 1], EOS)
        return {
            "source": sources,
            "target": tf.concat([targets, ends], axis=1),
            "size": tf.where(empty, 0, tf.maximum(lengths, others + 1)),
        }

    return dataset.batch(_AT_ONCE).map(
        pairs, num_parallel_calls=tf.data.AUTOTUNE, deterministic=True
    )


def counted(
    dataset: tf.data.Dataset, max_length: int, tell: Callable[[np.ndarray], None]
) -> tf.data.Dataset:
    """Passes pairs on, and at the end of each pass calls `tell` once.

    Args:
        dataset: pairs.
        max_length: canvas sizes beyond it are counted together.
        tell: gets int64 [max_length + 2]: how many pairs have size 0 (an empty side),
            1, ..., `max_length`, and more.
    """
    nothing = tf.RaggedTensor.from_row_lengths(
        tf.constant([], tf.int32), tf.constant([], tf.int64)
    )
    end = tf.data.Dataset.from_tensors(
        {"source": nothing, "target": nothing, "size": tf.constant([], tf.int32)}
    )

    def told(histogram: np.ndarray) -> np.int32:
        tell(histogram)
        return np.int32(0)

    @_as_it_is
    def count(histogram: tf.Tensor, pairs: Pairs) -> tuple[tf.Tensor, Pairs]:
        tf.cond(
            tf.equal(tf.size(pairs["size"]), 0),  # no other element is empty
            lambda: tf.numpy_function(told, [histogram], tf.int32),
            lambda: tf.constant(0),
        )
        places = tf.minimum(pairs["size"], max_length + 1)
        more = tf.math.bincount(places, minlength=max_length + 2, dtype=tf.int64)
        return histogram + more, pairs

    zeros = tf.zeros([max_length + 2], tf.int64)
    return dataset.concatenate(end).scan(zeros, count)


def without_long(dataset: tf.data.Dataset, max_length: int) -> tf.data.Dataset:
    """Drops pairs that need a canvas of more than `max_length`, and empty ones."""

    @_as_it_is
    def short(pairs: Pairs) -> Pairs:
        keep = tf.where((pairs["size"] > 0) & (pairs["size"] <= max_length))[:, 0]
        return {name: tf.gather(values, keep) for name, values in pairs.items()}

    return dataset.map(short)


def widened(
    dataset: tf.data.Dataset, most: int, max_length: int, seed: int, epoch: int
) -> tf.data.Dataset:
    """Adds 0 to `most` columns to each pair's canvas, drawn evenly.

    Decoding tries canvases larger than the output needs. A model that has only seen
    the exact size takes it for the length of the output. What is drawn is a function
    of (seed, epoch) alone; no canvas grows beyond `max_length`.
    """

    @_as_it_is
    def wider(run: tf.Tensor, pairs: Pairs) -> Pairs:
        key = tf.random.fold_in(tf.constant([seed, epoch], tf.int64), run, "philox")
        key = tf.random.fold_in(key, 1, "philox")  # `shuffled` draws from it too
        size = pairs["size"]
        drawn = tf.random.stateless_uniform(
            tf.shape(size), key, 0, most + 1, tf.int32, alg="philox"
        )
        wide = tf.maximum(tf.minimum(size + drawn, max_length), size)
        return {**pairs, "size": tf.where(size > 0, wide, 0)}

    return dataset.enumerate().map(wider) if most else dataset


def bucketed(
    dataset: tf.data.Dataset, table: Sequence[tuple[int, int]]
) -> tf.data.Dataset:
    """Pairs to batches of about the same size, each full and padded to its bucket.

    A pair goes to the least bucket that holds it, and a batch leaves its bucket as
    soon as it is full. What is left in a bucket at the end is dropped: a replica with
    no example crashes a convolution's gradient.

    `tf.data.Dataset.bucket_by_sequence_length` gives the same batches (tested) for 6.3
    times the processor time (Multi30k: 3.60 s against 0.57 s): its rows have their own
    lengths, so batches are taken apart row by row; here they are padded and cut.

    Args:
        dataset: pairs, none larger than the last bucket.
        table: (n, batch size) of each bucket, as from `bucket_table`:

             n  batch      all pairs of canvas size ...
             8    256      1 to 8
            10    256      9 and 10
            13    236      11 to 13
            ...

    Returns:
        Batches: source int32 [batch size, n], target int32 [batch size, n] (EOS, then
        PAD) and size int32 [batch size].
    """
    sizes = tf.constant([size for size, _ in table])
    counts = tf.constant([count for _, count in table], tf.int64)
    widest = table[-1][0]

    @_as_it_is
    def rows(pairs: Pairs) -> tuple[tf.Tensor, Batch]:
        bucket = tf.searchsorted(sizes, pairs["size"], out_type=tf.int64)
        padded = {
            name: pairs[name].to_tensor(PAD, shape=[None, widest])
            for name in ("source", "target")
        }
        return bucket, {**padded, "size": pairs["size"]}

    @_as_it_is
    def batch(bucket: tf.Tensor, pairs: tf.data.Dataset) -> tf.data.Dataset:
        size = tf.gather(sizes, bucket)
        full = pairs.batch(tf.gather(counts, bucket), drop_remainder=True)
        return full.map(
            lambda _, batch: {
                name: rows if name == "size" else rows[:, :size]
                for name, rows in batch.items()
            }
        )

    return (
        dataset.map(rows)
        .unbatch()
        .group_by_window(
            _as_it_is(lambda bucket, _: bucket),
            batch,
            window_size_func=_as_it_is(lambda bucket: tf.gather(counts, bucket)),
        )
    )


def prefetched(dataset: tf.data.Dataset) -> tf.data.Dataset:
    """Makes the next batches while the last ones are worked on."""
    return dataset.prefetch(tf.data.AUTOTUNE)
