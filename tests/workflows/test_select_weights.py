"""Which of a run's kept weights become its best, and that training asks for it."""

import dataclasses
import importlib
import json
import os
import shutil
import signal
from pathlib import Path

import numpy as np
import pytest
import toy

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.evaluation.by_length import LengthScore
from neural_gpu_tf.inference import Solver
from neural_gpu_tf.options import CurriculumConfig, ModelConfig, TrainingConfig
from neural_gpu_tf.runs import RunDirectory, load_task_run
from neural_gpu_tf.training.best_weights import BestWeights
from neural_gpu_tf.training.ends import Interrupted
from neural_gpu_tf.training.summaries import Summaries
from neural_gpu_tf.workflows import train_task
from neural_gpu_tf.workflows.select_weights import keep_validated, select_weights

# The package has a function of this name.
TRAIN_TASK = importlib.import_module("neural_gpu_tf.workflows.train_task")

TASK = CurriculumConfig(
    task="badd",
    curriculum=False,
    most_bits=3,
    task_batch_size=4,
    hard_share=0.25,
    validation_bits="2,3",
    validation_cases=4,
    curriculum_seed=5,
)
MODEL = ModelConfig(model="diagonal_neural_gpu", maps=6, width=1, layers=1)
TRAINING = TrainingConfig(train_steps=6, validate_every=2, learning_rate=0.02)


@pytest.mark.parametrize(
    "errors, chosen",
    [
        ({1: 0.5, 2: 0.25, 3: 0.75}, 2),  # neither the first nor the last judged
        ({1: 0.25, 2: 0.5, 3: 0.25}, 3),  # of equals the last
    ],
)
def test_the_best_of_the_kept_weights(tmp_path, errors, chosen):
    directory, model, judged = RunDirectory(tmp_path), toy.model(), []
    files = directory.training_files
    kept = BestWeights(files.best, 3)
    for step, value in ((3, 0.0), (1, 0.1), (2, 0.2)):  # others' order
        model.set_weights([np.full(w.shape, step) for w in model.get_weights()])
        kept.offer(model, step, value)
    files.best_weights.write_bytes(b"the validations' choice")

    def measure():
        values = {int(w.flat[0]) for w in model.get_weights() if w.size}
        judged.append(values)
        (step,) = values
        return {"exact_2": step / 10, "error": errors[step]}

    best = kept.best()[0].value
    found = select_weights(model, files, best, measure, "error", Summaries(None))
    assert judged == [{1}, {2}, {3}]
    assert found == {
        "selected_step": chosen,
        "selected_exact_2": chosen / 10,
        "selected_error": errors[chosen],
    }
    kept_file = files.best / f"{chosen}.weights.h5"
    assert files.best_weights.read_bytes() == kept_file.read_bytes()
    assert len(kept.best()) == 3


@pytest.mark.parametrize("kept", [None, 0.5])
def test_the_best_are_not_among_the_kept(tmp_path, kept, caplog):
    """None are, or those that were validated before more were kept."""
    files, model = RunDirectory(tmp_path).training_files, toy.model()
    if kept:
        BestWeights(files.best, 3).offer(model, 9, kept)
    files.best_weights.write_bytes(b"as it was")
    options = files, 0.25, dict, "error", Summaries(None)
    with caplog.at_level("WARNING", "absl"):
        assert select_weights(model, *options) == {}
    assert "the weights of the best validation; nothing is selected" in caplog.text
    keep_validated(files, 0.25)
    assert files.best_weights.read_bytes() == b"as it was"


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A run whose scores are made up, its summary, and what was measured in it.

    The first kept weights get the lowest error in the selection, the second before.
    """
    asked = []

    def noted(solve, task, bits, examples, column_bytes, seed, hard):
        asked.append((examples, seed, hard))
        late = len([one for one in asked if one[1] == seed])
        exact = 1 - late / 100
        if seed == 6:  # at step 4, after two more of each kind, the best
            exact = 0.9 if late in (3, 4) else late / 100
        return [LengthScore(n, 9, examples, exact, exact, []) for n in bits]

    directory = tmp_path_factory.mktemp("trained") / "run"
    task = dataclasses.replace(TASK, selection_cases=10)
    with pytest.MonkeyPatch.context() as context:
        context.setattr(TRAIN_TASK, "by_length", noted)
        summary = train_task(directory, task, MODEL, TRAINING)
    return directory, summary, asked


def test_training_selects_on_examples_of_their_own(trained):
    directory, summary, asked = trained
    assert asked == [
        *[(2, 6, hard) for hard in (False, True)] * 3,
        *[(5, 7, hard) for hard in (False, True)] * 3,
    ]
    assert summary["selected_step"] == 2 and summary["selected_exact_3"] == 0.99
    assert summary["error"] == pytest.approx(1 - 0.75 * 0.05 - 0.25 * 0.06)
    assert summary["selected_error"] == pytest.approx(0.75 * 0.01 + 0.25 * 0.02)
    run = RunDirectory(directory)
    assert json.loads(run.summary.read_text()) == summary
    kept = run.best / "2.weights.h5"
    assert run.weights("best").read_bytes() == kept.read_bytes()
    assert (run.events / "selection").is_dir()


def errors_of_kept_weights(directory):
    """By step, on the examples of a selection of 40 cases."""
    run, errors = load_task_run(directory), {}
    solver = Solver(run.model)
    for path in RunDirectory(directory).best.glob("*.h5"):
        run.model.load_weights(path)
        error = 0.0
        for hard, share in ((False, 0.75), (True, 0.25)):
            options = solver, run.task, [2, 3], 20, 1
            for score in TRAIN_TASK.by_length(*options, seed=7, hard=hard):
                wrong = 1 - (score.exact + score.symbols) / 2
                error += share * wrong / 2
        errors[int(path.name.split(".")[0])] = error
    return errors


def test_a_run_that_has_ended_selects_when_no_signal_ends_it(
    trained, tmp_path, monkeypatch
):
    """One comes in the last validation, one in the selection, then none."""
    directory = Path(shutil.copytree(trained[0], tmp_path / "run"))
    summary = train_task(directory, TASK, MODEL, TRAINING)
    assert not [name for name in summary if name.startswith("selected")]
    run = RunDirectory(directory)  # again with the choice of the validations
    kept = run.best / "4.weights.h5"
    assert run.weights("best").read_bytes() == kept.read_bytes()
    task = dataclasses.replace(TASK, selection_cases=40)
    asked, measure = [], TRAIN_TASK._Validation.measure

    def noted(self, cases, own_seed):
        asked.append(own_seed)
        assert own_seed == 6 or run.summary.exists()
        if asked == signalled:
            os.kill(os.getpid(), signal.SIGTERM)
        return measure(self, cases, own_seed)

    for signalled in ([6], [6, 7]):
        run.summary.unlink()
        asked.clear()
        with monkeypatch.context() as context:
            context.setattr(TRAIN_TASK._Validation, "measure", noted)
            with pytest.raises(Interrupted, match="stopped at step 6 by signal 15; ch"):
                train_task(directory, task, MODEL, TRAINING)
        assert asked == signalled
    summary = train_task(directory, task, MODEL, TRAINING)
    errors = errors_of_kept_weights(directory)
    assert len(set(errors.values())) == 3
    step = min(errors, key=errors.get)
    assert summary["selected_step"] == step
    assert summary["selected_error"] == pytest.approx(errors[step])


@pytest.mark.parametrize(
    "options, message",
    [
        ({"task": ""}, "task='': name an algorithmic task"),
        ({"validation_bits": "2,9000000"}, "validation_bits=2,9000000: 18000001 col"),
    ],
)
def test_what_can_not_be_validated_is_told_before_a_run_begins(
    tmp_path, options, message
):
    task = dataclasses.replace(TASK, **options)
    with pytest.raises(InputError, match=message):
        train_task(tmp_path / "run", task, MODEL, TRAINING)
    assert not (tmp_path / "run").exists()


def test_one_kept_is_no_choice(tmp_path):
    task = dataclasses.replace(TASK, selection_cases=10)
    training = dataclasses.replace(TRAINING, keep_best=1)
    with pytest.raises(InputError, match="selection_cases=10: .* with keep_best=1; "):
        train_task(tmp_path / "run", task, MODEL, training)
    assert not (tmp_path / "run").exists()
    with pytest.raises(InputError, match="selection_cases=1: must be at least 2"):
        dataclasses.replace(TASK, selection_cases=1)
