import dataclasses
import itertools
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import tensorflow as tf
import toy

from neural_gpu_tf.data import training_batches
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.options import DataConfig
from neural_gpu_tf.training.epochs import Epochs, _taken_ahead
from neural_gpu_tf.training.strategy import mirrored_strategy

CONFIG = DataConfig(
    max_length=9,
    max_batch_size=6,
    smallest_bucket=4,
    extra_columns=1,
    shuffle_buffer=50,
)
PAIRS = toy.Pairs()


def epochs(config=CONFIG):
    return Epochs(PAIRS, PAIRS, config, mirrored_strategy(1))


def same(found, expected):
    return len(found) == len(expected) and all(
        np.array_equal(one[name], other[name])
        for one, other in zip(found, expected, strict=True)
        for name in ("source", "target", "size")
    )


@pytest.fixture(scope="module")
def expected():
    """The batches of two epochs, each made by itself."""
    return [list(training_batches(PAIRS, PAIRS, CONFIG, epoch)) for epoch in range(2)]


def test_epochs_that_fill_no_batch_end():
    """Where pairs of one size fill a batch, but not once some of them are widened."""
    config = DataConfig(
        max_length=9, max_batch_size=14, smallest_bucket=2, extra_columns=5
    )
    pairs = toy.Pairs(sizes=[3] * 14)
    without = dataclasses.replace(config, extra_columns=0)
    next(Epochs(pairs, pairs, without, mirrored_strategy(1)).batches())
    with pytest.raises(InputError, match="=5: 3 epochs, the last of them 2, filled"):
        next(Epochs(pairs, pairs, config, mirrored_strategy(1)).batches())


def test_a_saved_place_goes_on_where_it_was(expected, caplog):
    """Epoch after epoch; a place at the end of one, and one within."""
    whole = sum(expected, [])
    assert not same(expected[0], expected[1])
    first, found, places = epochs(), [], {}
    batches = first.batches()
    for more in (len(expected[0]), 3):
        found += itertools.islice(batches, more)
        places[len(found)] = first.serialize()
    assert same(found, whole[: len(found)])
    for taken, text in places.items():
        second = epochs()
        second.deserialize(text)
        with caplog.at_level("INFO", "absl"):
            rest = list(itertools.islice(second.batches(), len(whole) - taken))
        assert same(rest, whole[taken:])
        assert second.scalars() == {"epoch": 1.0}
    told = [line.split("epoch ")[1] for line in caplog.messages if "past" in line]
    first_epoch = f"0: reading past its first {len(expected[0])} batches"
    assert told == [first_epoch, "1: reading past its first 3 batches"]


@pytest.mark.parametrize("text, warns", [("2 5 3", 1), ("2 0 3", 0), ("2 5", 0)])
def test_another_number_of_replicas_within_an_epoch_is_told(text, warns, caplog):
    one = epochs()
    one.deserialize(text)
    assert (one.epoch, one.taken) == (2, int(text[2]))
    message = "epoch 2 was started with 3 replicas and resumes with 1"
    assert caplog.text.count(message) == warns


def test_the_next_batch_is_taken_while_one_is_worked_on():
    taken = [threading.Event() for _ in range(4)]

    def batches():
        for number, event in enumerate(taken):
            event.set()
            yield {"number": number}

    with ThreadPoolExecutor(1) as executor:
        ahead = _taken_ahead(batches(), executor)
        seen = [next(ahead)["number"]]
        assert taken[1].wait(10)
        assert not taken[2].wait(0.1)
        seen += [batch["number"] for batch in ahead]
    assert seen == [0, 1, 2, 3]


def test_what_fails_while_a_batch_is_taken_ahead_is_raised():
    def batches():
        yield {}
        raise InputError("bad line")

    with ThreadPoolExecutor(1) as executor:
        ahead = _taken_ahead(batches(), executor)
        next(ahead)
        with pytest.raises(InputError, match="bad line"):
            next(ahead)


def test_empty_epochs_that_do_not_follow_each_other_are_passed_over(monkeypatch):
    def batches(source, target, config, epoch, **options):
        return tf.data.Dataset.range(epoch % 2)

    monkeypatch.setattr("neural_gpu_tf.training.epochs.training_batches", batches)
    assert len(list(itertools.islice(epochs().batches(), 6))) == 6


def test_pairs_that_can_fill_no_batch_are_told():
    """As a run may resume on them."""
    few = dataclasses.replace(CONFIG, max_batch_size=10**6, batch_cells=10**8)
    with pytest.raises(InputError, match="training pairs .* do not fill one batch"):
        next(epochs(few).batches())
