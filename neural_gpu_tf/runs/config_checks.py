"""Whether a run can resume, or start from another, with the options given."""

import dataclasses
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.models.build import check_same_model
from neural_gpu_tf.options.model import WITHOUT_WEIGHTS
from neural_gpu_tf.runs.config import RunConfig
from neural_gpu_tf.training.training_files import checkpoint_steps

if TYPE_CHECKING:
    from neural_gpu_tf.runs.run_directory import RunDirectory

AGAINST_DIVERGENCE = ("learning_rate", "clip_norm", "autoclip")
"""Options that may change where a run has ended without a finite loss."""

AFTER_TRAINING = ("selection_cases",)
"""Options that may change, as they take effect after the last step only."""


def check_whole(run: "RunDirectory") -> None:
    """Raises InputError if training here would overwrite weights it can't go on from.

    A run has weights before its first checkpoint, from its first validation on: where
    it was stopped in between, which its events tell, it begins anew.
    """
    weights = run.weights("best").exists()
    if not run.exists() and (weights or run.checkpoints.exists()):
        raise InputError(
            f"{run.config}: missing beside the checkpoints of a run; put it back, "
            "or name another --run_dir"
        )
    stopped = run.given_up.exists() or (
        run.events.exists() and not run.summary.exists()
    )
    if weights and not checkpoint_steps(run.checkpoints) and not stopped:
        raise InputError(
            f"{run.path}: there is no checkpoint to resume from; begin another run "
            f"with its weights: init_from={run.path}"
        )


def check_resumes(
    run: "RunDirectory", given: RunConfig, may_change: Collection[str]
) -> None:
    """Raises InputError if a run can't resume with the options that are given.

    Args:
        run: the run, with its own options.
        given: those that it is to resume with.
        may_change: names of options that may be others now.
    """
    here, path = run.read_config(), run.path
    asked = dataclasses.asdict(given)
    concerns = dataclasses.asdict(here)
    for concern, values in concerns.items():
        if not isinstance(values, dict):
            continue
        for name, value in values.items():
            if name not in may_change and value != asked[concern][name]:
                other = f"begin another run with its weights: init_from={path}"
                if concern == "model" and name not in WITHOUT_WEIGHTS:
                    other = "train another from scratch"
                raise InputError(
                    f"{path / 'config.json'}: this run has {name}={value}, not "
                    f"{asked[concern][name]}; leave the flag out to resume, or {other}"
                )

    others = [name for name, value in concerns.items() if not isinstance(value, dict)]
    if any(concerns[name] != asked[name] for name in others):
        raise InputError(
            f"{path}: this run was started with a different vocabulary; give the same "
            "one, or another --run_dir"
        )
    steps = given.training.train_steps
    if (taken := max(checkpoint_steps(run.checkpoints), default=0)) > steps:
        raise InputError(
            f"train_steps={steps}: {path} has taken {taken} steps already; give at "
            "least as many, or another --run_dir"
        )


def check_data(before: Mapping[str, str], now: Mapping[str, str], path: Path) -> None:
    """Raises InputError if a run that resumes would train on other data.

    Args:
        before: the fingerprints of its data, by name of file; more or fewer files may
            match its pattern now.
        now: those of the data given.
        path: its directory, for the message.
    """
    for name in sorted({*before, *now}):
        if before.get(name) != now.get(name):
            changed = "has changed" if name in now else "was removed"
            raise InputError(
                f"{name}: {changed if name in before else 'was added'} since {path} "
                f"began; restore the original data, or start a new run with "
                f"its weights: init_from={path}"
            )


def check_start(theirs: RunConfig, given: RunConfig) -> None:
    """Raises InputError if a run can't start with the weights of `init_from`.

    It needs the same model, but for `WITHOUT_WEIGHTS`, and the same vocabulary, or
    another task, whose symbols may be others.

    Args:
        theirs: the options of the run that `init_from` names.
        given: those of the new run.
    """
    path = given.training.init_from
    names = ("vocabulary_size", "vocabulary_fingerprint")
    tasks = theirs.task.task, given.task.task
    if any(tasks) and not all(tasks):
        kinds = [f"task={task}" if task else "a translation" for task in tasks]
        raise InputError(
            f"init_from={path}: that run is {kinds[0]}, which can't become "
            f"{kinds[1]}; name another run, or train from scratch"
        )
    same = all(getattr(theirs, name) == getattr(given, name) for name in names)
    if not same and not any(tasks):
        raise InputError(
            f"init_from={path}: its vocabulary is different; leave out --vocab, or "
            "train from scratch"
        )
    check_same_model(theirs.model, given.model, path)
