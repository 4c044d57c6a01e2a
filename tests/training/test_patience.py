"""Training that ends when validations no longer get better."""

import contextlib
import signal

import pytest
import tensorflow as tf
import toy

from neural_gpu_tf.training import Interrupted

VALUES = [5, 3, 4, 3, 2, 2, 9, float("nan"), 1]
"""What the validations at steps 2, 4, 6 … find."""


@pytest.fixture
def train(tmp_path):
    """Trains on in one directory, validating every other step; may be cut short."""

    def run(stopped_at=None, killed_at=None, folder=tmp_path, **options):
        validated = []

        def validate(step):
            validated.append(step)
            return {"perplexity_symbol": float(VALUES[step // 2 - 1])}

        def before(number):
            if number == stopped_at:
                signal.raise_signal(signal.SIGTERM)
            if number == killed_at:
                raise MemoryError

        one = toy.trainer(
            folder,
            validate,
            before=before,
            **dict(train_steps=18, validate_every=2, checkpoint_every=4) | options,
        )
        one.restore()
        with contextlib.suppress(Interrupted, MemoryError):
            one.train()
        return one.step, validated, one.model

    return run


@pytest.mark.parametrize("patience, last", [(0, 18), (1, 6), (2, 8), (3, 16), (4, 18)])
def test_it_ends_after_so_many_in_turn_that_are_not_better(train, patience, last):
    """3 after 3 is not better; 2 after 2 neither, nor what is no number."""
    step, validated, _ = train(patience=patience)
    assert (step, validated) == (last, [*range(2, last + 1, 2)])


def test_it_has_ended_when_the_command_is_given_again(train, caplog):
    train(patience=2)
    with caplog.at_level("INFO", "absl"):
        assert train(patience=2)[:2] == (8, [8])
    assert "nothing to do: step 8 is the last" in caplog.text
    # With more patience it goes on, and counts what was in vain before.
    assert train(patience=3)[:2] == (16, [8, 10, 12, 14, 16])


def test_what_it_says(train, caplog):
    with caplog.at_level("INFO", "absl"):
        train(patience=2)
    assert "step 8: none better in 2 validations (--patience): training" in caplog.text


@pytest.mark.parametrize(
    "cut, first",
    [
        ({"stopped_at": 6}, 6),
        ({"stopped_at": 7}, 8),
        ({"stopped_at": 16}, 16),
        ({"killed_at": 13}, 12),  # which was validated before: it counts once
    ],
)
def test_a_run_cut_short_ends_where_an_undisturbed_one_does(
    train, tmp_path, cut, first
):
    _, _, model = train(patience=3, folder=tmp_path / "undisturbed")
    train(**cut, patience=3)
    step, validated, resumed = train(patience=3)
    assert (step, validated[0]) == (16, first)
    assert toy.equal(toy.weights(model), toy.weights(resumed))


@pytest.mark.parametrize(
    "step, validated",
    [
        (7, [8, 10, 12, 14]),
        (4, [4, 6, 8]),  # the first again, which is the best: not in vain
    ],
)
def test_a_checkpoint_of_before_there_was_patience_is_read(
    train, tmp_path, step, validated
):
    train(train_steps=step)
    one = toy.trainer(tmp_path)
    one.restore()
    parts = {k: v for k, v in one.checkpoints.parts.items() if k != "patience"}
    old = tf.train.Checkpoint(**parts)
    directory = str(tmp_path / "checkpoints")
    manager = tf.train.CheckpointManager(old, directory, 3, checkpoint_name="ckpt")
    manager.save(checkpoint_number=step)
    assert train(patience=2)[:2] == (validated[-1], validated)
