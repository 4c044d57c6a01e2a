"""BLEU beyond the lengths of training: lists of numbers in words, English to French.

python -m benchmarks.lengths --minutes=8 --seeds=0,1 --out=DIR

(Figure 6 of Kaiser & Bengio 2016, "Can Active Memory Replace Attention?", in small:
there models are trained on sentences as long as those they are asked for, here on up to
20 symbols, and asked for up to 60.) A sentence is a list of numbers below 1,000; words
and marks are its symbols. French numbers have other lengths than English ones, so that
what belongs together drifts apart along the list. The models have equal weights and
equal minutes of the processor (`benchmarks.table1`). DIR/lengths.csv gets the rows of a
run as it ends, and what is there is not made again; DIR/lengths.png is BLEU against the
length of the source.
"""

import re
import statistics
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from absl import flags

from benchmarks import table1
from benchmarks.child_training import same_settings
from benchmarks.csv_rows import append, read
from benchmarks.list_flags import define_names, define_numbers, numbers
from benchmarks.one_core import keep_to_one_core
from neural_gpu_tf.percent import percent

MODELS = ("extended_neural_gpu", "attention_seq2seq", "rnn_seq2seq")
TRAINED = 20  # symbols of the longest sentence in training
BUCKETS = tuple((first, first + 9) for first in range(1, 60, 10))
LIMIT = 1_000
RATIO = 1.8  # canvases tried are at most so many lengths of the source
SIZES = "8"  # and so many of them, spread evenly
WORD = re.compile(r"\w+|[^\w\s]")


class LengthRow(NamedTuple):
    """A run's score on sources of about one length."""

    model: str
    seed: int
    steps: int
    first: int  # symbols of the shortest source
    last: int  # and of the longest
    sentences: int
    bleu: float
    exact: float


def symbols(text: str) -> int:
    """Words and marks of a text."""
    return len(WORD.findall(text))


def in_words(numbers: Sequence[int]) -> tuple[str, str]:
    """A list of numbers in English and in French."""
    from num2words import num2words

    english, french = (
        ", ".join(num2words(int(n), lang=language) for n in numbers)
        for language in ("en", "fr")
    )
    return english, french


def sentences(
    rng: np.random.Generator,
    count: int,
    shortest: int,
    longest: int,
    both: bool,
    known: Collection[str] = (),
) -> list[tuple[str, str]]:
    """Pairs whose sources have `shortest` to `longest` symbols.

    Lengths are drawn evenly, but those that few lists have come up less often.

    Args:
        rng: of the draws.
        count: how many pairs.
        shortest, longest: symbols of a source.
        both: targets have at most `longest` symbols too.
        known: sources that are not wanted.
    """
    pairs: list[tuple[str, str]] = []
    while len(pairs) < count:
        wanted = rng.integers(shortest, longest + 1)
        numbers: list[int] = []
        while symbols(in_words(numbers)[0]) < wanted:
            numbers.append(int(rng.integers(LIMIT)))
        pair = in_words(numbers)
        lengths = [symbols(text) for text in pair]
        fits = lengths[0] == wanted and (not both or lengths[1] <= longest)
        if fits and pair[0] not in known:
            pairs.append(pair)
    return pairs


def write_texts(folder: Path, training: int, validation: int) -> None:
    """Writes the texts of training and validation, unless they are there."""
    folder.mkdir(parents=True, exist_ok=True)
    for i, (split, count) in enumerate(
        [("train", training), ("validation", validation)]
    ):
        if (folder / f"{split}.target").exists():
            continue
        rng = np.random.default_rng([0, i])
        pairs = sentences(rng, count, 1, TRAINED, both=True)
        for side, texts in zip(
            ("source", "target"), zip(*pairs, strict=True), strict=True
        ):
            (folder / f"{split}.{side}").write_text("\n".join(texts) + "\n", "utf-8")


def measure(
    run_dir: Path, seed: int, steps: int, each: int, known: Collection[str]
) -> list[LengthRow]:
    """Scores a run on sentences of every length, none of them `known`."""
    import dataclasses

    from neural_gpu_tf.evaluation import scores
    from neural_gpu_tf.inference import Translator, translate_all
    from neural_gpu_tf.runs import load_run

    run = load_run(run_dir)
    config = run.config
    longest = BUCKETS[-1][1]
    decoding = dataclasses.replace(
        config.decoding, max_source_length=longest, max_size_ratio=RATIO, sizes=SIZES
    )
    translator = Translator(run.model, run.tokenizer, decoding)
    rows = []
    for first, last in BUCKETS:
        rng = np.random.default_rng([1, first])
        sources, references = zip(
            *sentences(rng, each, first, last, both=False, known=known), strict=True
        )
        found = [x.text for x in translate_all(translator.translate, sources)]
        score = scores(found, references)
        rows.append(
            LengthRow(
                *(config.model.model, seed, steps),
                *(first, last, each, round(score["bleu"], 2), score["exact_match"]),
            )
        )
    return rows


def make(table: Any, names: Sequence[str], seeds: Sequence[int], each: int) -> list:
    """Trains and measures what has no rows yet."""
    path = table.out / "lengths.csv"
    known = {*(table.out / "texts" / "train.source").read_text("utf-8").splitlines()}
    for seed in seeds:
        for name in names:
            if any(row[:2] == (name, seed) for row in read(path, LengthRow)):
                continue
            rate = table1.best_rate(table, name, [1.0])
            run_dir = table.out / f"{name}_{seed}"
            run = table1.trained(table, run_dir, name, rate, seed, table.minutes)
            append(path, measure(run_dir, seed, run.steps, each, known))
    return read(path, LengthRow)


def of_model(rows: Sequence[LengthRow], name: str, field: str) -> list[float]:
    """A model's mean over seeds, bucket by bucket."""
    return [
        statistics.mean(
            getattr(row, field)
            for row in rows
            if row.model == name and row.first == first
        )
        for first, _ in BUCKETS
    ]


def markdown(rows: Sequence[LengthRow]) -> str:
    """The table: BLEU, and the share exactly right, by symbols of the source."""
    spans = " | ".join(f"{first}-{last}" for first, last in BUCKETS)
    lines = [f"| model | seeds | {spans} |", "| --- " + "| ---: " * 7 + "|"]
    for name in dict.fromkeys(row.model for row in rows):
        seeds = len({row.seed for row in rows if row.model == name})
        values = zip(
            of_model(rows, name, "bleu"), of_model(rows, name, "exact"), strict=True
        )
        cells = " | ".join(f"{bleu:.1f}, {percent(exact)}" for bleu, exact in values)
        lines.append(f"| {name} | {seeds} | {cells} |")
    return "\n".join(lines) + "\n"


def main(argv: Sequence[str]) -> None:
    from neural_gpu_tf.evaluation.line_chart import Line, line_chart

    values, out = flags.FLAGS, Path(flags.FLAGS.out)
    keep_to_one_core(values.core)
    texts = {"training": values.training, "each": values.each}
    same_settings(out, {"arguments": [*argv], "minutes": values.minutes} | texts)
    write_texts(out / "texts", values.training, 500)
    arguments = [*table1.data_flags(str(out / "texts")), "--max_length=20", *argv]
    reference = table1.first_run(out, arguments)
    table = table1.Table("lengths", arguments, reference, values.minutes, out)
    rows = make(table, values.models, numbers("seeds"), values.each)
    middles = [(first + last) / 2 for first, last in BUCKETS]
    lines = [
        Line(name, list(zip(middles, of_model(rows, name, "bleu"), strict=True)))
        for name in dict.fromkeys(row.model for row in rows)
    ]
    line_chart(lines, "symbols of the source", "BLEU").save(out / "lengths.png")
    print(markdown(rows))


if __name__ == "__main__":
    from neural_gpu_tf.bin import app

    flags.DEFINE_float("minutes", 8.0, "of the processor, for training each model")
    define_names("models", MODELS, MODELS, "which")
    define_numbers("seeds", [0], "seeds of training", least=0)
    flags.DEFINE_integer("training", 30_000, "sentences of training", lower_bound=1)
    flags.DEFINE_integer("each", 50, "test sentences of each length", lower_bound=1)
    flags.DEFINE_integer("core", None, "the core to run on; if not given, the last")
    flags.DEFINE_string("out", None, "folder for texts, runs, table and figure")
    flags.mark_flag_as_required("out")
    app.run(main)
