from types import SimpleNamespace

import numpy as np
import pytest
import tensorflow as tf

from benchmarks import chomsky, chomsky_recipes
from benchmarks.chomsky import ChomskyRow, accuracies, markdown
from benchmarks.csv_rows import append, read
from neural_gpu_tf.bin.flagfiles import flagfile
from neural_gpu_tf.curriculum import Course
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.pretrained_models import pretrained_run
from neural_gpu_tf.tasks import TASKS


def test_only_the_answer_is_graded(monkeypatch):
    """Of stack-manipulation the end too; what stands behind it does not count."""
    task = TASKS["stack-manipulation"]

    def solver(_):
        def solve(source, size):
            target = task.target(source.numpy())
            graded = np.arange(target.shape[1]) < task.counted(target)[:, None]
            said = np.where(graded, target, 1)
            said[0, 0] += 1
            return tf.constant(said)

        return solve

    monkeypatch.setattr("neural_gpu_tf.inference.Solver", solver)
    (share,) = accuracies(None, task, [9], 4)
    _, target = task.generate(np.random.default_rng([1, 9]), task.canvas(9), 4)
    assert share == pytest.approx(1 - 1 / task.counted(target).sum())


def test_the_table_has_the_best_and_the_mean_of_seeds():
    rows = [
        ChomskyRow("even-pairs", "stack_rnn", seed, 9, 1.0, 5, 40, 1.0, accuracy, 3)
        for seed, accuracy in enumerate([1.0, 0.5])
    ]
    rows.append(rows[0]._replace(model="neural_gpu", accuracy=0.25))
    *_, line = markdown(rows).splitlines()
    assert line == "| even-pairs | 100.0 (75.0) | 25.0 |"


def test_one_task_in_small(monkeypatch, tmp_path):
    """The table and the figure of one run, by a clock that goes on as it is looked at.

    The rate falls for as long as the longest strings, and dropout, took to rise: 4 of
    the 10 seconds that they may take.
    """
    now = [0.0]

    def look():
        now[0] += 1
        return now[0]

    monkeypatch.setattr(chomsky, "time", SimpleNamespace(process_time=look))
    monkeypatch.setattr(chomsky, "LAST", 51)
    monkeypatch.setattr(chomsky, "TRAINED", 1)
    monkeypatch.setattr(chomsky_recipes, "TRAINED", 1)
    monkeypatch.setattr(chomsky, "LEARNED", -1)
    monkeypatch.setattr(Course, "may_rise", property(lambda _: now[0] < 5))
    run = "stack_rnn", "even-pairs", 0, 20 / 60
    *_, row = chomsky.measure(*run, 10, 4, tmp_path / "runs")
    row = ChomskyRow(**row)
    assert (row.bits, row.steps, row.minutes) == (1, 7, 0.13)
    assert row.weights > 10_000 and row.lengths == 2 and 0 < row.trained_accuracy <= 1
    append(tmp_path / "chomsky.csv", [row])
    rows = read(tmp_path / "chomsky.csv", ChomskyRow)
    assert rows == [row] and f"{100 * row.accuracy:.1f}" in markdown(rows)
    chomsky.draw(rows, tmp_path / "chomsky.png")
    assert (tmp_path / "chomsky.png").stat().st_size > 5_000
    asked = chomsky.ask_run(tmp_path / "runs" / "even-pairs-stack_rnn-0", 10, 4)
    assert asked == {name: row._asdict()[name] for name in asked}
    assert {"task", "model", "seed", "weights", "accuracy", "lengths"} <= set(asked)


def test_a_run_on_numbers_is_not_asked():
    with pytest.raises(InputError, match="badd is no task of strings"):
        chomsky.ask_run(pretrained_run("badd"), 20, 4)


def test_the_flagfile_of_strings_is_the_recipe():
    """But for the schedule, by steps there, and what validates."""
    lines = flagfile("strings").read_text("utf-8").splitlines()
    given = dict(x[2:].split("=") for x in lines if x.startswith("--"))
    recipe = chomsky_recipes.configuration("diagonal_neural_gpu", "reverse-string", 0)
    changed = set()
    for part in recipe:
        usual = vars(type(part)())
        own = {x: type(usual[x])(given.pop(x)) for x in set(usual) & set(given)}
        changed |= {
            x for x, value in vars(part).items() if {**usual, **own}[x] != value
        }
    assert not given
    assert changed == {
        *("schedule", "warmup_steps", "decay_from", "train_steps"),
        *("validation_bits", "log_every"),
    }


@pytest.mark.slow
def test_the_diagonal_model_reverses_strings_of_500():
    *_, row = chomsky.measure("diagonal_neural_gpu", "reverse-string", 0, 10.0, 200, 8)
    assert row["accuracy"] > 0.9 and row["trained_accuracy"] > 0.99
