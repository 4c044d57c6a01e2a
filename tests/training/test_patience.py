"""Training that ends when validations no longer get better."""

import contextlib
import functools
import signal

import pytest
import tensorflow as tf
import toy

from neural_gpu_tf.training import Interrupted

VALUES = [5, 3, 4, 3, 2, 2, 9, float("nan"), 1]
"""What the validations at steps 2, 4, 6 … find."""


def trained(folder, stopped_at=None, killed_at=None, **options):
    """Trains on in a directory, validating every other step; may be cut short."""
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
    return one.step, validated, one


@pytest.fixture
def train(tmp_path):
    """`trained` in one directory."""
    return functools.partial(trained, tmp_path)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    return trained(tmp_path_factory.mktemp("undisturbed"), patience=3)


@pytest.mark.parametrize("patience, last", [(0, 8), (1, 6)])
def test_it_ends_with_what_is_not_better(train, patience, last):
    step, validated, _ = train(patience=patience, train_steps=8)
    assert (step, validated) == (last, [*range(2, last + 1, 2)])


def test_it_ends_after_so_many_in_turn_that_are_not_better(undisturbed):
    """3 after 3 is not better; 2 after 2 neither, nor what is no number."""
    step, validated, _ = undisturbed
    assert (step, validated) == (16, [*range(2, 17, 2)])


def test_it_has_ended_when_the_command_is_given_again(train, caplog):
    with caplog.at_level("INFO", "absl"):
        assert train(patience=2)[:2] == (8, [2, 4, 6, 8])
        ended = "step 8: none better in 2 validations (--patience): training"
        assert ended in caplog.text
        assert train(patience=2)[:2] == (8, [8])
    assert "nothing to do: step 8 is the last" in caplog.text
    # With more patience it goes on, and counts what was in vain before.
    assert train(patience=3)[:2] == (16, [8, 10, 12, 14, 16])


def test_a_run_cut_short_ends_where_an_undisturbed_one_does(train, undisturbed):
    starts = [
        ({"stopped_at": 6}, [2, 4]),
        ({"stopped_at": 7}, [6]),
        ({"killed_at": 13}, [8, 10, 12]),
        ({"stopped_at": 16}, [12, 14]),  # 12 was validated before: it counts once
        ({}, [16]),
    ]
    for cut, expected in starts:
        step, validated, one = train(**cut, patience=3)
        assert validated == expected
    assert step == 16
    assert toy.equal(*(toy.weights(x.model) for x in (undisturbed[2], one)))


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
    _, _, one = train(train_steps=step)
    parts = {k: v for k, v in one.checkpoints.parts.items() if k != "patience"}
    old = tf.train.Checkpoint(**parts)
    directory = str(tmp_path / "checkpoints")
    manager = tf.train.CheckpointManager(old, directory, 3, checkpoint_name="ckpt")
    manager.save(checkpoint_number=step)
    assert train(patience=2)[:2] == (validated[-1], validated)


def test_a_first_validation_that_did_not_end_counts_when_it_does(tmp_path):
    cut = [True]

    def validate(step):
        if cut and cut.pop():
            raise MemoryError
        return {"perplexity_symbol": float("inf")}

    options = dict(train_steps=8, validate_every=2, checkpoint_every=2, patience=1)
    with pytest.raises(MemoryError):
        toy.trainer(tmp_path, validate, **options).train()
    one = toy.trainer(tmp_path, validate, **options)
    one.restore()
    one.train()
    assert one.step == 2
