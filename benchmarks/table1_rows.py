"""Rows of `benchmarks.table1`: what is measured of a run, and their CSV file."""

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

from benchmarks.equal_size import sized


class Row(NamedTuple):
    """A run of the table."""

    model: str
    seed: int
    parameters: int
    size: str
    learning_rate: float
    minutes: float  # of the processor
    seconds_step: float
    steps: int
    perplexity: float  # of a symbol of the validation data
    test_perplexity: float
    bleu: float
    bleu_low: float  # 95% of resampled test sets lie between these two
    bleu_high: float
    bleu_lowercased: float
    chrf: float
    exact: float
    ms_sentence: float  # in batches, one thread
    bleu_signature: str


class RateRow(NamedTuple):
    """A learning rate that was tried."""

    model: str
    learning_rate: float
    minutes: float
    perplexity: float


AnyRow = TypeVar("AnyRow", Row, RateRow)


def read(path: Path, kind: type[AnyRow]) -> list[AnyRow]:
    """The rows of a CSV file; none where there is no file."""
    if not path.exists():
        return []
    types = kind.__annotations__
    with path.open(newline="", encoding="utf-8") as file:
        return [
            kind(**{name: types[name](value) for name, value in row.items()})
            for row in csv.DictReader(file)
        ]


def write(path: Path, rows: Sequence[AnyRow]) -> None:
    """Writes the rows, at least one, as a CSV file; all of it or nothing."""
    from neural_gpu_tf.files import write_atomically

    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([rows[0]._fields, *rows])
    write_atomically(path, text.getvalue().encode())


def measure(run_dir: Path, test: Sequence[str]) -> Row:
    """The row of a trained run, but for what its training alone knows.

    The translations are kept beside it, in translations.txt.

    Args:
        run_dir: the run.
        test: files of sentences and of references; ("", "") for the validation data.
    """
    import tensorflow as tf
    from sacrebleu.metrics import BLEU

    from neural_gpu_tf.data import TextFiles
    from neural_gpu_tf.evaluation.evaluate import translate_and_evaluate
    from neural_gpu_tf.runs.load import load_run, own_source

    run = load_run(run_dir)
    config = run.config
    source = TextFiles({"validation": tuple(test)}) if test[0] else None
    pairs = (source or own_source(run, "validation")).dataset("validation")
    rows = zip(*pairs.as_numpy_iterator(), strict=True)
    sources, targets = ([text.decode() for text in texts] for texts in rows)
    translations, found = translate_and_evaluate(
        *(run.model, run.tokenizer, config.decoding, sources, targets, config.data)
    )
    lines = "".join(" ".join(line.split()) + "\n" for line in translations)
    (run_dir / "translations.txt").write_text(lines, "utf-8")
    resampled = BLEU().corpus_score(translations, [targets], n_bootstrap=1000)
    symbols = run.tokenizer.tokenize(translations).flat_values.shape[0]
    seconds = (symbols + len(sources)) / found["symbols_per_second"]
    x, *_ = sized(config.model.model, 0)
    newest = tf.train.latest_checkpoint(str(run_dir / "checkpoints"))
    return Row(
        model=config.model.model,
        seed=config.training.training_seed,
        parameters=run.model.count_params(),
        size=f"{x}={getattr(config.model, x)}",
        learning_rate=config.training.learning_rate,
        minutes=0.0,
        seconds_step=0.0,
        steps=int(newest.rpartition("-")[2]),
        perplexity=0.0,
        test_perplexity=round(found["perplexity_symbol"] or float("inf"), 4),
        bleu=round(found["bleu"], 2),
        bleu_low=round(resampled._mean - resampled._ci, 2),
        bleu_high=round(resampled._mean + resampled._ci, 2),
        bleu_lowercased=round(
            BLEU(lowercase=True).corpus_score(translations, [targets]).score, 2
        ),
        chrf=round(found["chrf"], 2),
        exact=found["exact_match"],
        ms_sentence=round(1000 * seconds / len(sources), 2),
        bleu_signature=found["bleu_signature"],
    )
