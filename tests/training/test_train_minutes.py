"""Training that ends when its time is over, by a clock that only batches move."""

import contextlib
import signal
from types import SimpleNamespace

import pytest
import toy

from neural_gpu_tf.options import TrainingConfig
from neural_gpu_tf.training import Interrupted, progress, training_time


@pytest.fixture
def train(monkeypatch, tmp_path):
    """Trains on in one directory; a batch takes 10 seconds, a validation 15."""
    now = [100.0]
    clock = SimpleNamespace(monotonic=lambda: now[0])
    monkeypatch.setattr(training_time, "time", clock)

    def run(**options):
        validated = []

        def before(number):
            now[0] += 10

        def validate(step):
            now[0] += 15
            validated.append(step)
            return {"perplexity_symbol": 1.0}

        one = toy.trainer(
            tmp_path, validate, before=before, checkpoint_every=2, **options
        )
        one.restore()
        start = one.step
        summary = one.train()
        return start, one.step, validated, summary["train_seconds"]

    return run


def test_it_ends_with_a_validation_and_goes_on_when_given_more(train):
    """The time of all starts counts, and that of validations."""
    limited = dict(train_minutes=0.9, train_steps=99, validate_every=2)
    assert train(**limited) == (0, 4, [2, 4], 70)
    assert train(**limited) == (4, 4, [4], 85)
    assert train(train_minutes=2, train_steps=99) == (4, 9, [9], 135)
    assert train(train_minutes=9, train_steps=10) == (9, 10, [10], 160)


def test_without_a_limit_there_is_none():
    assert TrainingConfig().train_minutes == 0


def test_reading_past_the_batches_before_is_no_step(monkeypatch, tmp_path, caplog):
    """The first batch takes a week, which is in neither speed nor time left."""
    now = [100.0]
    monkeypatch.setattr(progress, "time", SimpleNamespace(monotonic=lambda: now[0]))

    def before(number):
        now[0] += 600_000 if number == 1 else 1

    one = toy.trainer(tmp_path, before=before, train_steps=9)
    with caplog.at_level("INFO", "absl"):
        one.train()
    told = [x for x in caplog.messages if x.startswith("step 3/9")]
    assert len(told) == 1 and "  0:04 left" in told[0]
    assert "days more" not in caplog.text


@pytest.mark.parametrize(
    "options, days",
    [
        (dict(train_steps=20_000), "2 days more"),
        (dict(train_steps=20_000, train_minutes=3_000), "2 days more"),
        (dict(train_steps=20_000, train_minutes=1), None),
    ],
)
def test_days_of_training_are_told_once(monkeypatch, tmp_path, caplog, options, days):
    """A step takes 10 seconds, as on a CPU; the signal that ends it is ours."""
    now = [100.0]
    clock = SimpleNamespace(monotonic=lambda: now[0])
    monkeypatch.setattr(training_time, "time", clock)
    monkeypatch.setattr(progress, "time", clock)

    def before(number):
        now[0] += 10
        if number == 12:
            signal.raise_signal(signal.SIGTERM)

    one = toy.trainer(tmp_path, before=before, **options)
    with contextlib.suppress(Interrupted), caplog.at_level("WARNING", "absl"):
        one.train()
    told = [x.getMessage() for x in caplog.records if "days more" in x.getMessage()]
    assert len(told) == (1 if days else 0)
    assert all(days in line and "--train_minutes" in line for line in told)
