"""Learning curves of copying: an LSTM, and Neural Turing Machines.

python -m benchmarks.copy_curves --out=DIR
python -m benchmarks.copy_curves --task=repeat-copy --lengths=20,40 --out=DIR  # an hour

(Graves, Wayne & Danihelka 2014, "Neural Turing Machines", §4.1 and 4.2: an LSTM, a
Neural Turing Machine with an LSTM for its controller and one with a feed-forward one.)
All see the same sequences of 1 to 20 symbols by the same training; each is a run of
`neural-gpu-train` on one core. Writes TASK_curves.csv, bits a symbol by sequences seen,
TASK.csv, the sequences wholly right of each length, and TASK.png to DIR; what has rows
is not made again, and a run that was cut short goes on.
"""

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from absl import flags

from benchmarks.child_training import given_flags, same_settings, train
from benchmarks.csv_rows import append, read
from benchmarks.list_flags import define_names, define_numbers, numbers
from benchmarks.one_core import keep_to_one_core
from neural_gpu_tf.percent import percent

TURING = {
    "model": "neural_turing_machine",
    "kernel_gain": 1.4,
    "embedding_range": 1,
    "memory_rows": 128,
    "memory_width": 20,
    "memory_start": "constant",
    "units": 100,
}
MODELS: dict[str, dict[str, Any]] = {
    "lstm": {"model": "rnn_seq2seq", "cell": "lstm", "units": 256, "kernel_gain": 1},
    "ntm_lstm": TURING | {"controller": "lstm"},
    "ntm_feedforward": TURING | {"controller": "feedforward"},
}
TRAINING: dict[str, Any] = {
    "embedding_size": 16,
    "optimizer": "adam",
    "learning_rate": 0.003,
    "adam_epsilon": 1e-8,
    "clip_norm": 1,
    "schedule": "linear",
    "task_batch_size": 32,
    "curriculum": "false",
    "hard_share": 0.25,
    "least_bits": 1,
    "most_bits": 20,
    "checkpoint_every": 500,
    "log_every": 50,
}
CASES = 64  # of each length in a validation, half of them hard ones


class CurveRow(NamedTuple):
    """A point of a learning curve."""

    task: str
    model: str
    seed: int
    sequences: int  # seen
    bits: float  # a symbol, since the point before


class CopyRow(NamedTuple):
    """Sequences of one length, by a run at its end."""

    task: str
    model: str
    seed: int
    parameters: int
    minutes: float
    length: int
    random: float  # share wholly right, free-running
    hard: float


def curve(run_dir: Path, known: tuple[str, str, int], batch: int) -> list[CurveRow]:
    """The training's loss, from the run's event files.

    Args:
        run_dir: the run's.
        known: task, model and seed.
        batch: sequences of a step.
    """
    from neural_gpu_tf.evaluation.read_scalars import read_scalars

    return [
        CurveRow(*known, point.step * batch, round(point.value / math.log(2), 5))
        for point in read_scalars(run_dir / "events")
        if (point.kind, point.name) == ("train", "loss")
    ]


def ends(
    run_dir: Path, known: tuple[str, str, int], lengths: Sequence[int]
) -> list[CopyRow]:
    """What the run's last validation found right."""
    from neural_gpu_tf.runs import load_task_run

    summary = json.loads((run_dir / "summary.json").read_text("utf-8"))
    parameters = load_task_run(run_dir).model.count_params()
    minutes = round(summary["train_seconds"] / 60, 1)
    return [
        CopyRow(
            *(*known, parameters, minutes, length),
            *(round(summary[f"{kind}_{length}"], 4) for kind in ("exact", "hard")),
        )
        for length in lengths
    ]


def make(values: Any, path: Path, extra: Sequence[str]) -> None:
    """Trains and measures what has no rows yet."""
    out, lengths = Path(values.out), numbers("lengths")
    given = given_flags(extra)
    for seed in numbers("seeds"):
        for name in values.models:
            known = (values.task, name, seed)
            if any(row[:3] == known for row in read(path, CopyRow)):
                continue
            run_dir = out / f"{values.task}_{name}_{seed}"
            options = {
                **(TRAINING | MODELS[name]),
                "task": values.task,
                "train_steps": values.steps,
                "validation_bits": ",".join(values.lengths),
                "validation_cases": CASES,
                "validate_every": values.steps,
                "training_seed": seed,
                "curriculum_seed": seed,
                **given,
            }
            train(run_dir, options)
            batch = int(options["task_batch_size"])
            points = curve(run_dir, known, batch)
            append(out / f"{values.task}_curves.csv", points, key=4)
            append(path, ends(run_dir, known, lengths))


def markdown(rows: Sequence[CopyRow]) -> str:
    """The table: whole sequences right, random and hard ones, one number a seed."""
    lengths = sorted({row.length for row in rows})
    titles = "".join(f"| {length} symbols " for length in lengths)
    lines = [
        f"| model | weights | minutes {titles}|",
        "| --- | ---: | --- " + "| --- " * len(lengths) + "|",
    ]
    for name in dict.fromkeys(row.model for row in rows):
        some = [row for row in rows if row.model == name]
        minutes = {row.seed: f"{row.minutes:g}" for row in some}
        cells = [
            ", ".join(
                f"{percent(row.random)} ({percent(row.hard)})"
                for row in some
                if row.length == length
            )
            for length in lengths
        ]
        told = f"{some[0].parameters:,} | {', '.join(minutes.values())}"
        lines.append(f"| {name} | {told} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def main(argv: Sequence[str]) -> None:
    from neural_gpu_tf.evaluation.line_chart import Line, line_chart

    values, out = flags.FLAGS, Path(flags.FLAGS.out)
    keep_to_one_core(values.core)
    path = out / f"{values.task}.csv"
    settings = {"steps": values.steps, "lengths": values.lengths, "arguments": argv}
    same_settings(out, settings, f"{values.task}_settings")
    make(values, path, argv)
    points: dict[str, list[tuple[float, float]]] = {}
    drawn = numbers("seeds")[0]
    for row in read(out / f"{values.task}_curves.csv", CurveRow):
        if row.seed == drawn:
            points.setdefault(row.model, []).append((row.sequences / 1000, row.bits))
    lines = [Line(name, curve) for name, curve in points.items()]
    chart = line_chart(lines, "thousands of sequences", "bits a symbol, in training")
    chart.save(out / f"{values.task}.png")
    print(markdown(read(path, CopyRow)))


if __name__ == "__main__":
    from neural_gpu_tf.bin import app

    flags.DEFINE_enum("task", "id", ["id", "repeat-copy"], "id (copy) or repeat-copy")
    define_names("models", list(MODELS), list(MODELS), "which")
    define_numbers("seeds", [0], "seeds of training; the first one is drawn", least=0)
    define_numbers("lengths", [20, 40, 120], "that are asked for")
    flags.DEFINE_integer("steps", 3000, "of 32 sequences", lower_bound=1)
    flags.DEFINE_integer("core", None, "the core to run on; if not given, the last")
    flags.DEFINE_string("out", None, "folder for runs, tables and figure")
    flags.mark_flag_as_required("out")
    app.run(main)
