"""Sums and products longer than those of training: who holds?

python -m benchmarks.longer_numbers --task=badd --seeds=0,1,2 --out=DIR
python -m benchmarks.longer_numbers --task=baddr --models=stack_rnn --out=DIR
python -m benchmarks.longer_numbers --task=bmul --models=diagonal_neural_gpu \
  --seeds=1,2,3 --bits=20,25,100,200 --hard --out=DIR

(Kaiser & Sutskever 2016, "Neural GPUs Learn Algorithms", and its slides: the Neural
GPU, Joulin & Mikolov's stack RNN and an LSTM with attention, trained on up to 20 bits.)
The three models of the slides see equally many examples, the curriculum being each
one's own; the diagonal Neural GPU is trained as the task's flagfile says. Models that
read in order may be given their operands backwards: tasks baddr and bmulr.
DIR/longer_numbers.csv gets a run's rows as it ends; what has rows is not made again;
a run that was cut short goes on. Prints the table: whole answers right, free-running.
"""

import itertools
import json
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from absl import flags

from benchmarks.child_training import given_flags, same_settings, train
from benchmarks.csv_rows import append, read
from benchmarks.list_flags import define_names, define_numbers, numbers
from benchmarks.one_core import keep_to_one_core
from neural_gpu_tf.percent import percent

CONFIGS = Path(__file__).parents[1] / "configs"
BITS = (20, 25, 100, 200, 2000)
PUBLISHED = {
    ("badd", "neural_gpu"): "100%, 100%, 100%, 100%, 100%",
    ("badd", "stack_rnn"): "100%, 100%, 88%, 0%, 0%",
    ("badd", "attention_seq2seq"): "100%, 73%, 0%, 0%, 0%",
    ("bmul", "neural_gpu"): "100%, 100%, 100%, 100%, 100%",
}
MODELS: dict[str, dict[str, Any]] = {
    "neural_gpu": {"flagfile": CONFIGS / "badd_cgru.flags"},
    "stack_rnn": {"flagfile": CONFIGS / "badd_recurrent.flags"},
    "attention_seq2seq": {
        "flagfile": CONFIGS / "badd_recurrent.flags",
        "model": "attention_seq2seq",
        "cell": "lstm",
        "layers": 1,
        "bidirectional": True,
    },
}
"""The flags of each of the slides' models beside those of task and seed: 8,000 steps
each."""
DIAGONAL = "diagonal_neural_gpu"  # by the task's own flagfile


class NumbersRow(NamedTuple):
    """Answers of a run to questions of one length."""

    task: str
    model: str
    seed: int
    parameters: int
    trained: int  # examples, at most, of all attempts
    minutes: float
    inputs: str  # random or hard
    bits: int
    examples: int
    exact: float
    symbols: float


def options_of(
    task: str, model: str, seed: int, extra: dict[str, str] | None = None
) -> dict[str, Any]:
    """The flags of a run, of which later ones overrule earlier ones."""
    models = {**MODELS, DIAGONAL: {"flagfile": CONFIGS / f"{task}.flags"}}
    seeds = {"training_seed": seed, "curriculum_seed": seed}
    return {**models[model], "task": task, **(extra or {}), **seeds}


def measure(
    run_dir: Path, seed: int, bits: Sequence[int], each: int, hard: bool
) -> list[NumbersRow]:
    """Asks a run; of numbers of over 1,000 bits a tenth as many."""
    from neural_gpu_tf.runs import load_task_run
    from neural_gpu_tf.workflows import score_task

    run = load_task_run(run_dir)
    seconds = json.loads((run_dir / "summary.json").read_text("utf-8"))["train_seconds"]
    config = run.config
    attempts = len(list(run_dir.glob("attempt-*")))  # that were given up
    trained = most_examples(config.task, config.training.train_steps, attempts)
    known = (config.task.task, config.model.model, seed, run.model.count_params())
    rows = []
    for is_hard, length in itertools.product((False, True)[: 1 + hard], bits):
        count = each if length <= 1000 else max(1, each // 10)
        (score,) = score_task(run_dir, [length], count, is_hard)["lengths"]
        shares = (round(score["exact"], 4), round(score["symbols"], 4))
        of_run = (*known, trained, round(seconds / 60, 1))
        kind = "hard" if is_hard else "random"
        rows.append(NumbersRow(*of_run, kind, length, count, *shares))
    return rows


def most_examples(task: Any, steps: int, given_up: int) -> int:
    """The most examples that a run has seen, in the attempts that it gave up too.

    Args:
        task: its `CurriculumConfig`.
        steps: of an attempt that is not given up.
        given_up: how many attempts were.
    """
    batch = max(task.task_batch_size, task.most_batch_size)
    return (steps + given_up * task.give_up_at) * batch * task.buckets


def markdown(rows: Sequence[NumbersRow]) -> str:
    """The table, a line a task, model and kind of inputs; of several seeds the mean,
    the least and the best."""
    lengths = sorted({row.bits for row in rows})
    lines = [
        "| task | model | weights | examples, at most | minutes, of each seed | inputs "
        + "".join(f"| {bits:,} bits " for bits in lengths)
        + "| published |",
        "| --- | --- | ---: | ---: | --- | --- " + "| ---: " * len(lengths) + "| --- |",
    ]
    for group in dict.fromkeys((row.task, row.model, row.inputs) for row in rows):
        some = [row for row in rows if (row.task, row.model, row.inputs) == group]
        task, model, inputs = group
        minutes = {row.seed: f"{row.minutes:g}" for row in some}
        cells = []
        for bits in lengths:
            shares = [row.exact for row in some if row.bits == bits]
            cells.append(percent(statistics.mean(shares)) if shares else "-")
            if len(shares) > 1:
                cells[-1] += f" ({percent(min(shares))} to {percent(max(shares))})"
        published = PUBLISHED.get((task.rstrip("r"), model), "")
        published = published if inputs == "random" else ""
        lines.append(
            f"| {task} | {model} | {some[0].parameters:,} | {some[0].trained:,} "
            f"| {', '.join(minutes.values())} | {inputs} "
            f"| {' | '.join(cells)} | {published} |"
        )
    return "\n".join(lines) + "\n"


def main(argv: Sequence[str]) -> None:
    values, out = flags.FLAGS, Path(flags.FLAGS.out)
    keep_to_one_core(values.core)
    path = out / "longer_numbers.csv"
    extra, bits = given_flags(argv), numbers("bits")
    settings = {"bits": bits, "hard": values.hard, "examples": values.examples}
    same_settings(out, settings | {"arguments": extra}, f"{values.task}_settings")
    for seed in numbers("seeds"):
        for name in values.models:
            known = read(path, NumbersRow)
            if any(row[:3] == (values.task, name, seed) for row in known):
                continue
            run_dir = out / f"{values.task}_{name}_{seed}"
            train(run_dir, options_of(values.task, name, seed, extra))
            append(path, measure(run_dir, seed, bits, values.examples, values.hard))
    print(markdown(read(path, NumbersRow)))


if __name__ == "__main__":
    from neural_gpu_tf.bin import app

    sums = ["badd", "baddr", "bmul", "bmulr"]
    flags.DEFINE_enum("task", "badd", sums, "the task")
    told = f"which; {DIAGONAL} may be one"
    define_names("models", list(MODELS), [*MODELS, DIAGONAL], told)
    define_numbers("seeds", [0], "seeds of training and of its examples", least=0)
    define_numbers("bits", BITS, "lengths that are asked for")
    flags.DEFINE_bool("hard", False, "ask for hard inputs too")
    flags.DEFINE_integer("examples", 100, "questions of each length", lower_bound=1)
    flags.DEFINE_integer("core", None, "the core to run on; if not given, the last")
    flags.DEFINE_string("out", None, "folder for runs and table")
    flags.mark_flag_as_required("out")
    app.run(main)
