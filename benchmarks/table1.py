"""The models beside each other: equal weights, equal minutes, several seeds.

python -m benchmarks.table1 --data=demo --minutes=3 --out=DIR
python -m benchmarks.table1 --data=TEXTS --models=rnn_seq2seq,stack_rnn --out=DIR
python -m benchmarks.table1 --data=multi30k --minutes=10 --seeds=0,1 \
  --rates=0.5,1,2 --out=DIR -- --data_dir=TEXTS

(Table 1 of Kaiser & Bengio 2016, "Can Active Memory Replace Attention?", which is of
models as large as each was best, trained until they were done.) The model of the flags
is the reference; each other gets the number of maps or units with which it has as many
weights, to 5%. Minutes are the processor's, of one thread: a model takes as many steps
as so many minutes hold at what a step of its own costs (`benchmarks.step_cost`), the
learning rate falling to 0 at their end if the flags say so. With several `--rates` each
model is first trained for 15% of the minutes with its own learning rate times
each, and the one of the lowest validation perplexity is used. Whatever the flags say,
weights are averaged over about the last tenth of the steps. Each run is one of
`neural-gpu-train`, in a process of its own; all test sentences are then translated.

DIR/table1.csv gets a row as a run ends, DIR/rates.csv one for each rate tried. What has
a row there is not made again, and a run that was cut short goes on: the same command
again finishes the table. Other data, minutes or sentences need another DIR, as
DIR/settings.json tells. Prints the table.
"""

import json
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from absl import flags

from benchmarks.child_training import run_module, same_settings, train
from benchmarks.csv_rows import append, read
from benchmarks.equal_size import OWN, of_equal_size, taken
from benchmarks.list_flags import define_names, define_numbers, numbers
from benchmarks.one_core import keep_to_one_core
from benchmarks.table1_rows import RateRow, Row, measure
from neural_gpu_tf.errors import InputError

CONFIGS = Path(__file__).parents[1] / "configs"
TEXTS = {
    f"{split}_{side}": f"{split}.{side}"
    for split in ("train", "validation")
    for side in ("source", "target")
}
"""What a folder of texts holds, by the flag that names it."""

TIMED = {
    "validate_every": 10**9,
    "checkpoint_every": 200,
    "validation_sentences": 0,
    "batch_parts": 1,
}
"""So that a run does nothing but train, one thread at work."""

SEARCHED = 0.15
"""The share of the minutes for which each learning rate is tried."""

AVERAGED = 10
"""Weights are averaged over about the last 1 / AVERAGED of the steps."""

DROPPING = {"dropout": 0.3, "batch_cells": 100_000}
RECIPES: dict[str, dict[str, dict[str, Any]]] = {
    "multi30k": {
        "attention_seq2seq": DROPPING,
        "fixed_memory_seq2seq": DROPPING,
        "hybrid_seq2seq": DROPPING,
        "rnn_seq2seq": DROPPING,
        "pooled_neural_gpu": DROPPING | {"max_batch_size": 32},
    },
}
"""What a model has otherwise than the data's flagfile, beside `OWN`."""


class Trained(NamedTuple):
    """What a training tells of itself."""

    seconds_step: float
    steps: int
    perplexity: float  # of a symbol of the validation data


class Table(NamedTuple):
    """What all runs of a table share."""

    data: str  # as given
    arguments: list[str]  # flags of neural-gpu-train that name data and reference
    reference: Any  # its RunConfig
    minutes: float
    out: Path


def first_run(out: Path, arguments: Sequence[str]) -> Any:
    """The `RunConfig` of the reference, from a run of one step, and its vocabulary."""
    from neural_gpu_tf.runs import RunDirectory

    train(out / "reference", TIMED | {"train_steps": 1}, arguments)
    return RunDirectory(out / "reference").read_config()


def own_options(table: Table, name: str) -> dict[str, Any]:
    """The flags that a model has beside the arguments, its usual learning rate too."""
    model = table.reference.model
    options: dict[str, Any] = {"model": name}
    options["learning_rate"] = table.reference.training.learning_rate
    if name != model.model:
        options |= OWN.get(name, {})
        options |= of_equal_size(name, model, table.reference.vocabulary_size)
    options |= RECIPES.get(table.data, {}).get(name, {})
    return options | {"vocab": table.out / "reference" / "vocab.txt"}


def seconds_step(table: Table, name: str) -> float:
    """What a step of this model costs, measured once."""
    run_dir = table.out / "cost" / name
    known = run_dir / "cost.json"
    if not known.exists():
        for row in read(table.out / "table1.csv", Row):
            if row.model == name:  # of a folder of rows alone
                return row.seconds_step
        options = TIMED | own_options(table, name) | {"train_steps": 1}
        train(run_dir, options, taken(table.arguments, name))
        told = run_module("benchmarks.step_cost", [f"--run_dir={run_dir}"])
        known.write_text(told.splitlines()[-1], "utf-8")
    return json.loads(known.read_text("utf-8"))["seconds_step"]


def trained(
    table: Table, run_dir: Path, name: str, rate: float, seed: int, minutes: float
) -> Trained:
    """Trains for so many minutes."""
    cost = seconds_step(table, name)
    steps = max(1, round(60 * minutes / cost))
    options = TIMED | own_options(table, name) | {"learning_rate": rate}
    options |= {"train_steps": steps, "training_seed": seed}
    options |= {"warmup_steps": min(100, steps // 10)}
    options |= {"average_decay": max(0.0, 1 - AVERAGED / steps)}
    train(run_dir, options, taken(table.arguments, name))
    summary = json.loads((run_dir / "summary.json").read_text("utf-8"))
    return Trained(round(cost, 4), steps, round(summary["perplexity_symbol"], 4))


def best_rate(table: Table, name: str, factors: Sequence[float]) -> float:
    """The learning rate of the lowest validation perplexity after a few minutes."""
    first = own_options(table, name)["learning_rate"]
    if len(factors) == 1:
        return first * factors[0]
    path = table.out / "rates.csv"
    minutes = SEARCHED * table.minutes
    tried = {x.learning_rate: x for x in read(path, RateRow) if x.model == name}
    rates = [first * factor for factor in factors]
    for rate in rates:
        if rate not in tried:
            run_dir = table.out / "rates" / f"{name}_{rate:g}"
            perplexity = trained(table, run_dir, name, rate, 0, minutes).perplexity
            tried[rate] = RateRow(name, rate, minutes, perplexity)
            append(path, [tried[rate]])
    return min(rates, key=lambda rate: tried[rate].perplexity)


def make(
    table: Table,
    names: Sequence[str],
    seeds: Sequence[int],
    factors: Sequence[float],
    test: tuple[str, str],
) -> list[Row]:
    """Trains and measures what has no row yet.

    Args:
        table: see `Table`.
        names: of the models.
        seeds: of training; all models of a seed come before the next seed.
        factors: of the learning rates to try.
        test: files of sentences and of references; ("", "") for the validation data.
    """
    path = table.out / "table1.csv"
    for seed in seeds:
        for name in names:
            if any(row[:2] == (name, seed) for row in read(path, Row)):
                continue
            rate = best_rate(table, name, factors)
            run_dir = table.out / f"{name}_{seed}"
            run = trained(table, run_dir, name, rate, seed, table.minutes)
            known = {"learning_rate": rate, "minutes": table.minutes, **run._asdict()}
            row = Row(model=name, seed=seed, **known, **measure(run_dir, test))
            append(path, [row])
    return read(path, Row)


def markdown(rows: Sequence[Row]) -> str:
    """The table, a line a model: the mean over seeds, and the range of perplexities."""
    lines = [
        "| model | parameters | size | seeds | learning rate | steps | perplexity "
        "| test perplexity | BLEU | BLEU, lowercased | chrF | exact | ms a sentence |",
        "| --- | ---: | --- | ---: " + "| ---: " * 9 + "|",
    ]
    for name in dict.fromkeys(row.model for row in rows):
        some = [row for row in rows if row.model == name]
        first = some[0]

        def mean(field: str, some: Sequence[Row] = some) -> float:
            return statistics.mean(getattr(row, field) for row in some)

        ranges = [
            f"{min(values):.3f} to {max(values):.3f}"
            if len(values) > 1
            else f"{values[0]:.3f}"
            for values in (
                [row.perplexity for row in some],
                [row.test_perplexity for row in some],
            )
        ]
        lines.append(
            f"| {name} | {first.parameters:,} | {first.size} | {len(some)} "
            f"| {first.learning_rate:g} | {first.steps:,} | {ranges[0]} | {ranges[1]} "
            f"| {mean('bleu'):.1f} | {mean('bleu_lowercased'):.1f} "
            f"| {mean('chrf'):.1f} | {mean('exact'):.1%} | {mean('ms_sentence'):.1f} |"
        )
    return "\n".join(lines) + "\n"


def data_flags(data: str) -> list[str]:
    """The flags of `neural-gpu-train` for "demo", "multi30k", a flagfile or a folder.

    A folder has train.source, train.target, validation.source and validation.target,
    plain or .gz; all else is as in the demo.
    """
    known = {"demo": "demo.flags", "multi30k": "table1_multi30k.flags"}
    if data in known:
        return [f"--flagfile={CONFIGS / known[data]}"]
    if not Path(data).is_dir():
        return [f"--flagfile={data}"]
    names = {
        flag: name if Path(data, name).exists() else f"{name}.gz"
        for flag, name in TEXTS.items()
    }
    of_texts = {"data": "files", "data_dir": data, **names}
    demo = CONFIGS / "demo.flags"
    return [f"--flagfile={demo}", *(f"--{k}={v}" for k, v in of_texts.items())]


def main(argv: Sequence[str]) -> None:
    from neural_gpu_tf.models import MODELS

    values = flags.FLAGS
    keep_to_one_core(values.core)
    if bool(values.source) != bool(values.target):
        raise InputError("--source and --target: give both, or neither")
    out, arguments = Path(values.out), [*data_flags(values.data), *argv]
    settings = {"arguments": arguments, "minutes": values.minutes}
    settings |= {"source": values.source, "target": values.target}
    same_settings(out, settings)
    reference = first_run(out, arguments)
    table = Table(values.data, arguments, reference, values.minutes, out)
    own = reference.model.model
    names = values.models or [own, *(name for name in MODELS if name != own)]
    test = values.source, values.target
    seeds, factors = numbers("seeds"), numbers("rates", float)
    print(markdown(make(table, names, seeds, factors, test)))


if __name__ == "__main__":
    from neural_gpu_tf.bin import app
    from neural_gpu_tf.options.model import NAMES

    flags.DEFINE_string(
        "data", "demo", "demo; multi30k; a flagfile of neural-gpu-train; or a folder"
    )
    flags.DEFINE_float("minutes", 3.0, "of the processor, for training each model")
    define_names("models", [], list(NAMES), "which; if not given, all")
    define_numbers("seeds", [0], "seeds of training", least=0)
    define_numbers(
        "rates", [1.0], "factors of the learning rate to choose among", float, 1e-9
    )
    flags.DEFINE_string("source", "", "test sentences; empty: the validation data")
    flags.DEFINE_string("target", "", "their references")
    flags.DEFINE_integer("core", None, "the core to run on; if not given, the last")
    flags.DEFINE_string("out", None, "folder for the runs and the table")
    flags.mark_flag_as_required("out")
    app.run(main)
