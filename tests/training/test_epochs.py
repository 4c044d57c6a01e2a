import itertools

import numpy as np
import pytest
import toy

from neural_gpu_tf.data import DataConfig, training_batches
from neural_gpu_tf.training.epochs import Epochs
from neural_gpu_tf.training.strategy import mirrored_strategy

CONFIG = DataConfig(
    max_length=9,
    max_batch_size=6,
    smallest_bucket=4,
    extra_columns=1,
    shuffle_buffer=50,
)
PAIRS = toy.Pairs()


def epochs():
    return Epochs(PAIRS, PAIRS, CONFIG, mirrored_strategy(1))


def same(found, expected):
    return len(found) == len(expected) and all(
        np.array_equal(one[name], other[name])
        for one, other in zip(found, expected, strict=True)
        for name in ("source", "target", "size")
    )


@pytest.fixture(scope="module")
def expected():
    """The batches of three epochs, each made by itself."""
    return [list(training_batches(PAIRS, PAIRS, CONFIG, epoch)) for epoch in range(3)]


def test_epoch_after_epoch(expected):
    whole = sum(expected, [])
    assert same(list(itertools.islice(epochs().batches(), len(whole))), whole)
    assert not same(expected[0], expected[1])


@pytest.mark.parametrize("place", ["within", "end of an epoch"])
def test_a_saved_place_goes_on_where_it_was(expected, place):
    whole = sum(expected, [])
    taken = len(expected[0]) + (3 if place == "within" else 0)
    first = epochs()
    list(itertools.islice(first.batches(), taken))
    second = epochs()
    second.deserialize(first.serialize())
    rest = list(itertools.islice(second.batches(), len(whole) - taken))
    assert same(rest, whole[taken:])
    assert second.scalars() == {"epoch": 2.0}
