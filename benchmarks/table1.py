"""The models beside each other, with as many weights and as much time for each.

python -m benchmarks.table1 --data=demo --minutes=3 --out=DIR
python -m benchmarks.table1 --data=TEXTS --models=rnn_seq2seq,stack_rnn --out=DIR
python -m benchmarks.table1 --data=configs/multi30k_extended.flags --out=DIR -- \
  --data_dir=TEXTS

(Table 1 of Kaiser & Bengio 2016, "Can Active Memory Replace Attention?", which is of
models as large as each was best, trained until they were done.) A flagfile's own model
is the reference and is trained first; the others get the number of maps or units with
which they have as many weights, to 5%. Each is trained by `neural-gpu-train` in a
process of its own, for so many minutes with the start of its graph among them, at a
constant rate and with the running average of its weights; then all validation sentences
are translated. Prints the table and writes table1.md and table1.csv to DIR; runs that
are there already go on if they are given more minutes.
"""

import csv
import dataclasses
import math
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from absl import flags

DEMO = Path(__file__).parents[1] / "configs" / "demo.flags"
TOLERANCE = 0.05
TEXTS = {
    f"{split}_{side}": f"{split}.{side}"
    for split in ("train", "validation")
    for side in ("source", "target")
}
"""What a folder of texts holds, by the flag that names it."""

TIMED = {
    "schedule": "constant",
    "train_steps": 10**9,
    "validate_every": 10**9,
    "checkpoint_every": 10**9,
    "validation_sentences": 0,
}
"""So that nothing but the time ends a run, and nothing takes of it."""

RECURRENT = {
    "learning_rate": 0.002,
    "adam_epsilon": 1e-8,
    "kernel_gain": 1.0,
    "embedding_range": 0.1,
}
"""As is usual for them. An active memory learns at the demo's 0.005 and Adam's ε of
1e-4, from kernels of gain 1.4 and embeddings in ±1; with these a GRU is saturated."""

OWN: dict[str, dict[str, Any]] = {
    "attention_seq2seq": RECURRENT | {"layers": 1, "bidirectional": True},  # RNNsearch
    "fixed_memory_seq2seq": RECURRENT
    | {"layers": 1, "bidirectional": True, "contexts": 32},
    "rnn_seq2seq": RECURRENT,
    "neural_turing_machine": RECURRENT,
    "stack_rnn": RECURRENT,
    # It is linear: s grows by 1 + gain a unit, n l times; and so does its gradient.
    "residual_neural_gpu": {"kernel_gain": 0.05, "learning_rate": 0.002},
}
"""The flags that a model has otherwise than the flagfile, if that is not its own."""


class Row(NamedTuple):
    """A line of the table."""

    model: str
    parameters: int
    size: str
    steps: int
    perplexity: float | None  # of a symbol
    log_perplexity: float | None
    bleu: float
    exact: float


def find_size(count: Callable[[int], int], wanted: int) -> int:
    """The x ≥ 1 with which count(x) = a x² + b x + c comes nearest to `wanted`.

    So many weights has every model of size x: matrices of one side or of two.
    """
    step = 8  # small models are built in no time
    first, second, third = (count(step * i) for i in (1, 2, 3))
    a = (third - 2 * second + first) / (2 * step**2)
    b = (second - first) / step - 3 * a * step
    c = first - a * step**2 - b * step

    def error(x: int) -> float:
        return abs(a * x**2 + b * x + c - wanted)

    x = 1
    while error(x + 1) < error(x):
        x += 1
    return x


def sized(name: str, x: int) -> dict[str, int]:
    """The flags that make a model of size x: m, or units and embeddings alike."""
    from neural_gpu_tf.models import MODELS
    from neural_gpu_tf.models.active_memory_model import ActiveMemoryModel

    if issubclass(MODELS[name], ActiveMemoryModel):
        return {"maps": x}
    return {"units": x, "embedding_size": x}


def of_equal_size(name: str, reference: Any, vocabulary_size: int) -> dict[str, int]:
    """The flags with which a model has as many weights as the reference.

    Args:
        name: of the model.
        reference: the `ModelConfig` of the reference; the model's other options are
            those, but for `OWN`.
        vocabulary_size: number of symbols.

    Raises:
        InputError: no size comes within 5%.
    """
    from neural_gpu_tf.errors import InputError
    from neural_gpu_tf.models import build_model

    fields = {field.name for field in dataclasses.fields(reference)}
    own = {k: v for k, v in OWN.get(name, {}).items() if k in fields}

    def count(x: int) -> int:
        options = own | sized(name, x) | {"model": name}
        config = dataclasses.replace(reference, **options)
        return build_model(config, vocabulary_size).count_params()

    wanted = build_model(reference, vocabulary_size).count_params()
    x = find_size(count, wanted)
    found = count(x)
    if abs(found - wanted) > TOLERANCE * wanted:
        raise InputError(
            f"{name}: {found:,} weights come nearest to the reference's {wanted:,}; "
            "choose a larger reference"
        )
    return sized(name, x)


def taken(arguments: Sequence[str], model: str) -> list[str]:
    """The flags but those of options that a model does not take, as "--name=value"."""
    from neural_gpu_tf.errors import InputError
    from neural_gpu_tf.models import check_taken
    from neural_gpu_tf.options import ModelConfig

    def is_taken(argument: str) -> bool:
        name = argument.partition("=")[0].lstrip("-")
        if name not in ModelConfig.__dataclass_fields__:
            return True
        try:
            check_taken(model, [name])
        except InputError:
            return False
        return True

    return [argument for argument in arguments if is_taken(argument)]


def train(run_dir: Path, arguments: Sequence[str], options: dict[str, Any]) -> None:
    """Runs `neural-gpu-train`; what it logs goes to standard error."""
    command = [sys.executable, "-m", "neural_gpu_tf.bin.train", *arguments]
    command += [f"--{name}={value}" for name, value in options.items()]
    subprocess.run([*command, f"--run_dir={run_dir}"], check=True)


def measure(run_dir: Path) -> Row:
    """The line of a trained model, from all validation sentences."""
    import tensorflow as tf

    from neural_gpu_tf.runs import load_run
    from neural_gpu_tf.workflows import score_translation

    run = load_run(run_dir)
    config = run.config.model
    newest = tf.train.latest_checkpoint(str(run_dir / "checkpoints"))
    score = score_translation([run_dir])
    perplexity = score["perplexity_symbol"]
    x, *_ = sized(config.model, 0)
    return Row(
        model=config.model,
        parameters=run.model.count_params(),
        size=f"{x}={getattr(config, x)}",
        steps=int(newest.rpartition("-")[2]),
        perplexity=perplexity,
        log_perplexity=perplexity and math.log(perplexity),
        bleu=score["bleu"],
        exact=score["exact_match"],
    )


def table(
    arguments: Sequence[str], others: Sequence[str], minutes: float, out: Path
) -> list[Row]:
    """Trains and measures the reference and the others; writes after each.

    Args:
        arguments: flags of `neural-gpu-train`, which name the data and the reference.
        others: names of models.
        minutes: of training, for each.
        out: folder of the runs and of the table.
    """
    from neural_gpu_tf.runs import RunDirectory

    timed = TIMED | {"train_minutes": minutes}
    train(out / "reference", arguments, timed)
    config = RunDirectory(out / "reference").read_config()
    rows = [measure(out / "reference")]
    for name in others:
        if name == config.model.model:
            continue
        options = OWN.get(name, {}) | {"model": name}
        options |= of_equal_size(name, config.model, config.vocabulary_size)
        options["vocab"] = out / "reference" / "vocab.txt"
        train(out / name, taken(arguments, name), options | timed)
        rows.append(measure(out / name))
        write(rows, minutes, out)
    write(rows, minutes, out)
    return rows


def markdown(rows: Sequence[Row], minutes: float) -> str:
    """The table; the first row is the reference."""
    lines = [
        f"Each model trained for {minutes:g} minutes; the first is the reference, the "
        "others have as many parameters, to 5%.",
        "",
        "| model | parameters | size | steps | perplexity | log-perplexity | BLEU "
        "| exact |",
        "| --- | ---: | --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for row in rows:
        perplexity, log_perplexity = (
            "infinite" if x is None else f"{x:.3f}"
            for x in (row.perplexity, row.log_perplexity)
        )
        lines.append(
            f"| {row.model} | {row.parameters:,} | {row.size} | {row.steps:,} "
            f"| {perplexity} | {log_perplexity} | {row.bleu:.1f} | {row.exact:.1%} |"
        )
    return "\n".join(lines) + "\n"


def write(rows: Sequence[Row], minutes: float, out: Path) -> None:
    """Writes table1.md and table1.csv."""
    (out / "table1.md").write_text(markdown(rows, minutes), "utf-8")
    with (out / "table1.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(Row._fields)
        writer.writerows(rows)


def data_flags(data: str) -> list[str]:
    """The flags of `neural-gpu-train` that "demo", a flagfile or a folder stands for.

    A folder has train.source, train.target, validation.source and validation.target,
    plain or .gz; all else is as in the demo.
    """
    if not Path(data).is_dir():
        return [f"--flagfile={DEMO if data == 'demo' else data}"]
    names = {
        flag: name if Path(data, name).exists() else f"{name}.gz"
        for flag, name in TEXTS.items()
    }
    of_texts = {"data": "files", "data_dir": data, **names}
    return [f"--flagfile={DEMO}", *(f"--{k}={v}" for k, v in of_texts.items())]


def main(argv: Sequence[str]) -> None:
    from neural_gpu_tf.models import MODELS

    values = flags.FLAGS
    arguments = [*data_flags(values.data), *argv]
    others = values.models or list(MODELS)
    rows = table(arguments, others, values.minutes, Path(values.out))
    print(markdown(rows, values.minutes))


if __name__ == "__main__":
    from neural_gpu_tf.bin import app

    flags.DEFINE_string(
        "data", "demo", "demo; a flagfile of neural-gpu-train; or a folder of texts"
    )
    flags.DEFINE_float("minutes", 3.0, "of training, for each model")
    flags.DEFINE_list("models", [], "which, beside the reference; if not given, all")
    flags.DEFINE_string("out", None, "folder for the runs and the table")
    flags.mark_flag_as_required("out")
    app.run(main)
