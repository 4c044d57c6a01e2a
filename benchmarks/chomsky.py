"""The fifteen tasks of the Chomsky hierarchy: trained on 40 symbols, asked for 500.

python -m benchmarks.chomsky --task=reverse-string --model=stack_rnn --minutes=5 --json
python -m benchmarks.chomsky --minutes=10 --seeds=0,1,2 --out=DIR
python -m benchmarks.chomsky --run_dir=RUN

(Delétang et al. 2022, "Neural Networks and the Chomsky Hierarchy".) A model is trained
on strings of 1 to 40 symbols by one curriculum and one recipe for all tasks, and asked
for strings of 41 to 500. What counts is the share of an answer's symbols that are
right, its end among them where it does not follow from the question; of that the mean
over the lengths. Minutes are the processor's. With --out, DIR/chomsky.csv gets a row as
a run ends, and what has a row is not made again; DIR/chomsky.png is the figure, and
DIR/runs/TASK-MODEL-SEED has the weights, for neural-gpu-solve --run_dir. With --run_dir
nothing is trained: that run, of neural-gpu-train --config=strings, say, or a model of
the package by its name, is asked.
"""

import json
import statistics
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from absl import flags

from benchmarks.averaged import averaged
from benchmarks.child_training import same_settings
from benchmarks.chomsky_recipes import MODELS, TRAINED, configuration
from benchmarks.csv_rows import append, read
from benchmarks.list_flags import define_numbers, numbers
from benchmarks.one_core import keep_to_one_core
from neural_gpu_tf.percent import percent

FIRST, LAST = 41, 500
LEARNED = 0.99
"""The running share of the longest strings in training that counts as all of them."""


class ChomskyRow(NamedTuple):
    """What a run came to."""

    task: str
    model: str
    seed: int
    weights: int
    minutes: float  # of training
    steps: int
    bits: int  # what the curriculum reached
    trained_accuracy: float  # of strings of 1 to 40 symbols
    accuracy: float  # the mean over the lengths of 41 to 500
    lengths: int


def train(
    name: str, task: str, seed: int, minutes: float
) -> Iterator[tuple[dict[str, Any], Any]]:
    """Trains; the learning rate is whole at first, and falls to 0 in as much time.

    It begins to fall when 99% of the longest strings of training are right and dropout
    has risen, at the latest when half of the minutes are over; so what is learned soon
    ends soon.

    Yields:
        Now and then what was reached, and the model; at the end with averaged weights.
    """
    from neural_gpu_tf.training.curriculum import Curriculum
    from neural_gpu_tf.training.strategy import mirrored_strategy

    config, training, options = configuration(name, task, seed)
    curriculum = Curriculum(options, mirrored_strategy(1), config.dropout)
    symbols, highest = options.algorithm.vocabulary_size, training.learning_rate
    model, optimizer, step = averaged(config, training, symbols)
    steps, start, whole, spent = 0, time.process_time(), minutes / 2, 0.0
    for batch in curriculum.batches():
        spent = (time.process_time() - start) / 60
        if spent >= 2 * whole:
            break
        rate = highest * min(1.0, 2 - spent / whole, (steps + 1) / 100)
        optimizer.learning_rate.assign(rate)
        step.use_dropout(curriculum.dropout)
        result = step(batch)
        curriculum.observe(result)
        learned = curriculum.bits == TRAINED and curriculum.right > LEARNED
        if learned and not curriculum.may_rise:
            whole = min(whole, spent)
        steps += 1
        if steps % 200 == 0:
            loss = float(result.loss) / float(result.symbols)
            told = {"steps": steps, "bits": curriculum.bits, "loss": round(loss, 4)}
            yield {**told, "minutes": round(spent, 2)}, model
    optimizer.finalize_variable_values(model.trainable_variables)
    told = {"steps": steps, "bits": curriculum.bits, "minutes": round(spent, 2)}
    yield told, model


def accuracies(
    model: Any, task: Any, lengths: Sequence[int], examples: int
) -> list[float]:
    """The share of the graded symbols that are right, of new strings of each length."""
    import tensorflow as tf

    from neural_gpu_tf.inference import Solver

    solve, shares = Solver(model), []
    for length in lengths:
        rng = np.random.default_rng([1, length])
        source, target = task.generate(rng, task.canvas(length), examples)
        said = solve(tf.constant(source), tf.constant(task.size(source))).numpy()
        graded = np.arange(target.shape[1]) < task.counted(target)[:, None]
        shares.append(float((said == target)[graded].mean()))
    return shares


def keep(path: Path, name: str, task: str, seed: int, model: Any) -> None:
    """Writes a trained model as a run directory, for neural-gpu-solve and the like."""
    from neural_gpu_tf.options import DataConfig, DecodingConfig
    from neural_gpu_tf.runs import RunConfig, RunDirectory
    from neural_gpu_tf.weights import save_weights

    config, training, options = configuration(name, task, seed)
    run, symbols = RunDirectory(path), options.algorithm.vocabulary_size
    run.write_config(
        RunConfig(
            DataConfig(), config, training, DecodingConfig(), symbols, "", options
        )
    )
    save_weights(model, run.weights("best"))


def measure(
    name: str,
    task: str,
    seed: int,
    minutes: float,
    every: int,
    examples: int,
    runs: Path | None = None,
) -> Iterator[dict[str, Any]]:
    """Trains one model on one task, and asks it; the last is a `ChomskyRow` as dict.

    Args:
        runs: if given, `keep` makes RUNS/TASK-NAME-SEED.
    """
    from neural_gpu_tf.tasks import TASKS

    about = {"task": task, "model": name, "seed": seed}
    for told, model in train(name, task, seed, minutes):  # noqa: B007
        yield about | told
    if runs:
        keep(runs / f"{task}-{name}-{seed}", name, task, seed, model)
    yield {
        **about,
        "weights": model.count_params(),
        "minutes": told["minutes"],
        "steps": told["steps"],
        "bits": told["bits"],
        **asked(model, TASKS[task], every, examples),
    }


def asked(model: Any, task: Any, every: int, examples: int) -> dict[str, Any]:
    """The accuracies of a `ChomskyRow`, and of how many lengths."""
    lengths = [*range(FIRST, LAST, every), LAST]
    short = accuracies(model, task, range(1, TRAINED + 1, 3), examples)
    long = accuracies(model, task, lengths, examples)
    return {
        "trained_accuracy": round(statistics.mean(short), 4),
        "accuracy": round(statistics.mean(long), 4),
        "lengths": len(lengths),
    }


def ask_run(path: Path, every: int, examples: int) -> dict[str, Any]:
    """What a run directory's best weights come to."""
    from neural_gpu_tf.errors import InputError
    from neural_gpu_tf.runs import load_task_run
    from neural_gpu_tf.tasks import StringTask

    run = load_task_run(path)
    if not isinstance(run.task, StringTask):
        raise InputError(f"--run_dir={path}: {run.task.name} is no task of strings")
    about = {"task": run.task.name, "model": run.config.model.model}
    return {
        **about,
        "seed": run.config.training.training_seed,
        "weights": run.model.count_params(),
        **asked(run.model, run.task, every, examples),
    }


def markdown(rows: Sequence[ChomskyRow]) -> str:
    """The table: a line a task, of each model the best and the mean over seeds."""
    models = list(dict.fromkeys(row.model for row in rows))
    lines = [
        f"| task | {' | '.join(models)} |",
        "| --- " + "| ---: " * len(models) + "|",
    ]
    for task in dict.fromkeys(row.task for row in rows):
        cells = []
        for model in models:
            found = [x.accuracy for x in rows if (x.task, x.model) == (task, model)]
            cells.append(percent(max(found), 1)[:-1] if found else "")
            if len(found) > 1:
                cells[-1] += f" ({percent(statistics.mean(found), 1)[:-1]})"
        lines.append(f"| {task} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def draw(rows: Sequence[ChomskyRow], path: Path) -> None:
    """The best of each model's seeds against the tasks, in their order."""
    from neural_gpu_tf.evaluation.line_chart import Line, line_chart

    tasks = list(dict.fromkeys(row.task for row in rows))
    best: dict[tuple[str, str], float] = {}
    for row in rows:
        key = row.model, row.task
        best[key] = max(best.get(key, 0.0), 100 * row.accuracy)
    lines = [
        Line(
            name, [(i, best[name, x]) for i, x in enumerate(tasks) if (name, x) in best]
        )
        for name in dict.fromkeys(row.model for row in rows)
    ]
    label = "symbols right of strings of 41 to 500, %"
    ticks = {float(i): task for i, task in enumerate(tasks)}
    line_chart(lines, "task", label, x_ticks=ticks, joined=False).save(path)


def main(argv: Sequence[str]) -> None:
    from neural_gpu_tf.configuration import check_choice
    from neural_gpu_tf.pretrained_models import run_or_pretrained
    from neural_gpu_tf.tasks import TASKS, StringTask

    app.no_arguments(argv)
    values = flags.FLAGS
    keep_to_one_core(values.core)
    if values.run_dir:
        path = run_or_pretrained(values.run_dir)
        print(json.dumps(ask_run(path, values.every, values.examples)))
        return
    strings = [name for name, task in TASKS.items() if isinstance(task, StringTask)]
    if values.task:
        check_choice("--task", values.task, strings)
    path = runs = None
    if values.out:
        path, runs = Path(values.out, "chomsky.csv"), Path(values.out, "runs")
        names = ("minutes", "every", "examples")
        same_settings(path.parent, {name: getattr(values, name) for name in names})
    for seed in numbers("seeds"):
        for task in [values.task] if values.task else strings:
            for name in [values.model] if values.model else MODELS:
                made = read(path, ChomskyRow) if path else []
                if any(row[:3] == (task, name, seed) for row in made):
                    continue
                sizes = values.minutes, values.every, values.examples
                for row in measure(name, task, seed, *sizes, runs):
                    if values.json or "accuracy" in row:
                        print(json.dumps(row), flush=True)
                if path:
                    append(path, [ChomskyRow(**row)])
    if path:
        rows = read(path, ChomskyRow)
        draw(rows, path.with_suffix(".png"))
        if not values.json:
            print(markdown(rows))


if __name__ == "__main__":
    from neural_gpu_tf.bin import app

    flags.DEFINE_string("task", "", "one task; if not given, all fifteen")
    flags.DEFINE_enum("model", "", ["", *MODELS], "one model; if not given, all")
    flags.DEFINE_float(
        "minutes", 10.0, "of the processor, the most for training each model"
    )
    flags.DEFINE_string("run_dir", "", "ask this run, or model of the package, only")
    define_numbers("seeds", [0], "seeds of weights and examples", least=0)
    flags.DEFINE_integer("every", 20, "ask for every so many-th length", lower_bound=1)
    flags.DEFINE_integer("examples", 32, "strings of each length", lower_bound=1)
    flags.DEFINE_integer("core", None, "the core to run on; if not given, the last")
    flags.DEFINE_bool("json", False, "print progress too, as JSON lines")
    flags.DEFINE_string("out", "", "folder for the table; if not given, none is kept")
    app.run(main)
