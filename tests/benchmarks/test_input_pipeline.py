import itertools
import time
from typing import NamedTuple

import numpy as np
import pytest
import tensorflow as tf

from benchmarks.input_pipeline import measure, measure_alone


class Result(NamedTuple):
    loss: float


@pytest.fixture
def clock(monkeypatch):
    """A list with the time, which only passes when something takes some."""
    now = [0.0]
    monkeypatch.setattr(time, "perf_counter", lambda: now[0])
    return now


def batches(clock, seconds):
    """Each takes its seconds to come."""
    for wait in seconds:
        clock[0] += wait
        yield {"target": tf.constant([[4, 2, 0], [2, 0, 0]])}


def test_waiting_is_the_time_until_a_batch_is_there(clock):
    def step(batch):
        clock[0] += 9.0
        return Result(0.0)

    waits = [100.0, 100.0, 1.0, 3.0, 2.0, 50.0]
    result = measure(batches(clock, waits), step, steps=3, warm_up=2)
    assert result == {
        "steps": 3,
        "seconds": 33.0,
        "step_seconds": 9.0,
        "waited_seconds": 6.0,
        "longest_wait": 3.0,
        "share_waited": pytest.approx(6 / 33),
    }


def test_alone_the_first_batch_does_not_count(clock):
    waits = itertools.chain([100.0], itertools.repeat(0.5))
    result = measure_alone(batches(clock, waits), seconds=2.0)
    np.testing.assert_allclose(list(result.values()), [2.0, 4.0, 6.0])
    assert list(result) == [
        "batches_per_second",
        "pairs_per_second",
        "symbols_per_second",
    ]
