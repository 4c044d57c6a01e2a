import math

import numpy as np
import pytest

from neural_gpu_tf.training import TrainingConfig
from neural_gpu_tf.training.schedules import LearningRate


def rates(steps, **options):
    rate = LearningRate.of(TrainingConfig(learning_rate=0.5, **options))
    return [float(rate(step)) for step in steps]


@pytest.mark.parametrize(
    "schedule, expected",
    [
        ("constant", [1, 1, 1, 1, 1]),
        ("linear", [1, 0.75, 0.5, 0, 0]),
        ("cosine", [1, 0.5 + 0.5 * math.cos(math.pi / 4), 0.5, 0, 0]),
        ("inverse_sqrt", [math.sqrt(5 / k) for k in (5, 9, 13, 21, 25)]),
    ],
)
def test_after_the_warm_up(schedule, expected):
    steps = [4, 8, 12, 20, 24]
    found = rates(steps, schedule=schedule, warmup_steps=4, train_steps=20)
    np.testing.assert_allclose(found, 0.5 * np.array(expected), rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("schedule", ["constant", "linear", "cosine", "inverse_sqrt"])
def test_the_rate_stays_until_it_may_fall(schedule):
    options = dict(schedule=schedule, warmup_steps=4, train_steps=40)
    held = rates(range(50), decay_from=24, **options)
    np.testing.assert_allclose(held[:4], 0.5 * np.arange(1, 5) / 5, rtol=1e-6)
    np.testing.assert_allclose(held[4:25], 0.5, rtol=1e-6)
    # From there on as after a warm-up of that length.
    later = rates(range(24, 50), **options | {"warmup_steps": 24})
    np.testing.assert_allclose(held[24:], later, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("schedule", ["constant", "linear", "cosine", "inverse_sqrt"])
def test_the_warm_up_rises_evenly_and_starts_above_zero(schedule):
    found = rates(range(5), schedule=schedule, warmup_steps=4, train_steps=20)
    np.testing.assert_allclose(found, 0.5 * np.arange(1, 6) / 5, rtol=1e-6)


def test_no_warm_up_starts_at_the_highest_rate():
    for schedule in ("constant", "linear", "cosine", "inverse_sqrt"):
        assert rates([0], schedule=schedule, train_steps=20) == [0.5]


def test_a_warm_up_longer_than_training_is_no_division_by_zero():
    assert rates([9], schedule="linear", warmup_steps=20, train_steps=20) == [
        pytest.approx(0.5 * 10 / 21)
    ]
