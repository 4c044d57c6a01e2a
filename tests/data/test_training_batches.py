import collections
import dataclasses

import numpy as np
import pytest
import tensorflow as tf

from neural_gpu_tf.data import (
    EpochCounts,
    TextFiles,
    bucket_table,
    check_fills_a_batch,
    training_batches,
)
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.options import DataConfig

CONFIG = DataConfig(
    max_length=24, batch_cells=2_400, max_batch_size=12, smallest_bucket=4, seed=5
)


def read(*args, **options):
    return list(training_batches(*args, **options).as_numpy_iterator())


def same(first, second):
    return len(first) == len(second) and all(
        np.array_equal(one[name], two[name])
        for one, two in zip(first, second, strict=True)
        for name in ("source", "target", "size")
    )


def rows(batches):
    """The pairs of batches as a multiset of symbols, without padding."""
    return collections.Counter(
        (
            tuple(source[source != 0].tolist()),
            tuple(target[target != 0].tolist()),
        )
        for batch in batches
        for source, target in zip(batch["source"], batch["target"], strict=True)
    )


@pytest.fixture(scope="module")
def epoch(source, tokenizer):
    """The batches of epoch 3."""
    return read(source, tokenizer, CONFIG, 3)


def test_the_order_is_a_function_of_seed_and_epoch(source, tokenizer, epoch):
    tf.random.set_seed(1)
    assert same(epoch, read(source, tokenizer, CONFIG, 3))
    assert not same(epoch, read(source, tokenizer, CONFIG, 4))
    other = dataclasses.replace(CONFIG, seed=6)
    assert not same(epoch, read(source, tokenizer, other, 3))


@pytest.mark.parametrize("skip", [20, 1_000])
def test_skip_goes_on_exactly_where_the_order_stopped(source, tokenizer, epoch, skip):
    assert 25 < len(epoch) < 1_000
    assert same(read(source, tokenizer, CONFIG, 3, skip=skip), epoch[skip:])


@pytest.mark.parametrize("replicas", [1, 4])
def test_every_batch_is_full_and_has_the_shape_of_its_bucket(
    source, tokenizer, replicas
):
    table = dict(bucket_table(CONFIG, replicas))
    batches = read(source, tokenizer, CONFIG, 0, replicas=replicas)
    assert {batch["source"].shape[1] for batch in batches} == set(table)
    for batch in batches:
        count, size = batch["source"].shape
        assert count == table[size]
        assert count * size**2 <= CONFIG.batch_cells
        assert batch["target"].shape == (count, size)
        assert {array.dtype for array in batch.values()} == {np.dtype("int32")}
        below = max([n for n in table if n < size], default=0)
        assert ((below < batch["size"]) & (batch["size"] <= size)).all()
        for source_row, target_row, n in zip(*batch.values(), strict=True):
            lengths = (source_row != 0).sum(), (target_row != 0).sum()
            assert n == max(lengths)
            assert target_row[lengths[1] - 1] == 2
            assert (target_row == 2).sum() == 1


def test_no_pair_is_lost_but_those_counted(ladder, write_files, tokenizer):
    extra = [("", "empty"), ("empty", " "), ("", ""), ("x" * 25, "y"), ("x", "y" * 24)]
    files = write_files(ladder + extra)
    source = TextFiles({"train": files})
    counts = []
    for epoch in range(2):
        batches = read(source, tokenizer, CONFIG, epoch, report=counts.append)
        seen, told = rows(batches), counts[epoch]
        assert told.batches == len(batches)
        assert (told.epoch, told.empty) == (epoch, 3)
        assert told.long == 2 + sum(len(target) + 1 > 24 for _, target in ladder)
        assert told.trained == seen.total()
        assert told.trained + told.empty + told.long + told.left == 305
        everything = collections.Counter(
            (
                tuple(4 + ord(x) for x in source_text),
                (*(4 + ord(x) for x in target_text), 2),
            )
            for source_text, target_text in ladder
        )
        assert seen <= everything
        assert 0 < told.left <= sum(batch - 1 for _, batch in bucket_table(CONFIG))
    assert len(counts) == 2
    assert counts[0]._replace(epoch=1) == counts[1]


def test_the_counts_reach_the_log(source, tokenizer, caplog):
    read(source, tokenizer, CONFIG, 4, skip=5)
    (line,) = [record.getMessage() for record in caplog.records]
    assert line.startswith("epoch 4: ")
    assert "of 300 pairs" in line  # those of the batches that were skipped, too
    assert "0 with an empty side" in line


def test_counts_from_sizes():
    histogram = np.array([3, 0, 5, 2, 4, 9])
    counts = EpochCounts.from_sizes(7, histogram, [(2, 2), (4, 4)])
    assert counts == EpochCounts(
        epoch=7, trained=8, empty=3, long=9, left=3, batches=3, max_length=4
    )


def test_a_set_too_small_for_a_batch(write_files, tokenizer):
    source = TextFiles({"train": write_files([("a", "b")] * 3 + [("", "b")])})
    config = DataConfig(max_batch_size=4)
    with pytest.raises(InputError) as error:
        check_fills_a_batch(source, tokenizer, config)
    assert str(error.value).startswith(
        "data=numbers_and_dates: 3 training pairs of 1 to 60 symbols do not fill"
    )
    assert len(read(source, tokenizer, DataConfig(max_batch_size=3), 0)) == 1
