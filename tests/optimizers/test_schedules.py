import math

import keras
import numpy as np
import pytest

from neural_gpu_tf.optimizers import ClippedAdamax, LearningRate


def rates(steps, **options):
    rate = LearningRate(0.5, **options)
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


def test_there_is_no_other_schedule():
    with pytest.raises(ValueError, match="schedule='step': .* constant, linear"):
        LearningRate(0.5, "step")


def test_a_compiled_model_is_saved_and_loaded_with_its_schedule(tmp_path):
    options = dict(
        learning_rate=0.3,
        schedule="cosine",
        warmup_steps=2,
        decay_from=3,
        train_steps=9,
    )
    model = keras.Sequential([keras.Input([2]), keras.layers.Dense(1)])
    model.compile(ClippedAdamax(LearningRate(**options), beta_1=0.8), "mse")
    model.fit(np.ones((4, 2)), np.ones((4, 1)), batch_size=2, verbose=0)
    model.save(tmp_path / "model.keras")
    copy = keras.models.load_model(tmp_path / "model.keras")
    rate = copy.optimizer._learning_rate
    assert type(rate) is LearningRate and rate.get_config() == options
    for some in (model, copy):  # the optimizer goes on where it was
        some.fit(np.ones((4, 2)), np.ones((4, 1)), batch_size=2, verbose=0)
    for ours, theirs in zip(model.get_weights(), copy.get_weights(), strict=True):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("schedule", ["linear", "cosine"])
def test_a_fall_needs_an_end(schedule):
    with pytest.raises(ValueError, match=f"schedule='{schedule}': needs train_steps"):
        LearningRate(0.5, schedule)
