"""Attempts at a task: where one may be given up, and what a signal does there."""

import os
import signal

import pytest
from test_train_task import FLAGS, TRAIN_TASK

from neural_gpu_tf.options import CurriculumConfig, TrainingConfig


def test_attempts_need_a_validation_to_be_judged_at(run_binary, tmp_path):
    for own, message in (
        (["--attempts=2"], "--attempts=2 --give_up_at=0: "),
        (["--give_up_at=10"], "--attempts=1 --give_up_at=10: "),
        (["--attempts=2", "--give_up_at=15"], "give_up_at=15: there is no validation"),
    ):
        answer = run_binary("train", f"--run_dir={tmp_path}/run", *FLAGS, *own)
        assert answer.status == 2
        assert message in answer.err and answer.err.count("\n") == 1
        assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    "patience, attempts, warns", [(3, 2, True), (4, 2, False), (3, 1, False)]
)
def test_patience_that_may_end_first_is_told(caplog, patience, attempts, warns):
    task = CurriculumConfig(
        task="badd", attempts=attempts, give_up_at=20 * (attempts > 1)
    )
    training = TrainingConfig(validate_every=5, patience=patience)
    with caplog.at_level("WARNING", "absl"):
        TRAIN_TASK._check_options(task, training)
    told = f"--patience={patience} may end an attempt before --give_up_at=20"
    assert (told in caplog.text) == warns


def test_a_signal_while_an_attempt_is_given_up_counts(
    run_binary, tmp_path, monkeypatch
):
    def stopped(*arguments, **options):
        if not told:
            told.append(os.kill(os.getpid(), signal.SIGTERM))
        return by_length(*arguments, **options)

    told, by_length = [], TRAIN_TASK.by_length
    own = ["--attempts=2", "--give_up_at=1", "--give_up_error=0", "--validate_every=1"]
    options = [f"--run_dir={tmp_path}/run", "--train_steps=2", *FLAGS, *own]
    monkeypatch.setattr(TRAIN_TASK, "by_length", stopped)
    answer = run_binary("train", *options)
    assert answer.status == 128 + signal.SIGTERM
    assert "stopped at step 1 by signal 15; this attempt is given up;" in answer.err
    assert (tmp_path / "run" / "attempt-0" / "summary.json").exists()
    assert not (tmp_path / "run" / "checkpoints").exists()
