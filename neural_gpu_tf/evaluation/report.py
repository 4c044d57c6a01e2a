"""A page that compares models: tables, figures and the files behind them."""

import contextlib
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from neural_gpu_tf import __version__
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.evaluation.bleu_by_source_length import bleu_by_source_length
from neural_gpu_tf.evaluation.paired_bootstrap import (
    CONFIDENCE,
    RESAMPLES,
    paired_bootstrap,
)
from neural_gpu_tf.evaluation.report_charts import Chart, curve_charts, length_chart
from neural_gpu_tf.evaluation.report_page import report_page
from neural_gpu_tf.evaluation.report_tables import (
    BOOTSTRAP,
    ReportedModel,
    Table,
    bootstrap_table,
    curves_table,
    decoding_table,
    length_table,
    models_table,
    sentences_table,
)
from neural_gpu_tf.files import replacing

SETTINGS = "settings.csv"

SHOWN = 5
"""Worst and best sentences of each model that the page shows."""


def write_report(
    directory: str | os.PathLike[str],
    models: Sequence[ReportedModel],
    sources: Sequence[str],
    references: Sequence[str],
    files: tuple[str, str],
    bucket_words: int = 10,
) -> Path:
    """Writes index.html, and the CSV files and pictures that it is made of.

    Every number on the page stands, written alike, in a CSV file beside it; nothing is
    loaded from elsewhere. The same arguments give the same files.

        settings.csv                what was compared, and how
        models.csv                  size and scores of each model
        decoding.csv                the decoding options of each model
        bootstrap.csv               see `paired_bootstrap`; of several models
        bleu_by_source_length.csv   and .png; see `bleu_by_source_length`
        curves.csv                  all curves of the training; loss.png, bleu.png …
        sentences.csv               every sentence of each model, with its chrF

    Args:
        directory: see `make_report_directory`; files of these names are replaced.
        models: at least one; the others are compared with the first.
        sources: sentences, at least one.
        references: one for each source.
        files: where sources and references come from, to tell the reader.
        bucket_words: source lengths in a bucket.

    Returns:
        The path of index.html.

    Raises:
        InputError: the directory can't be made, or a file can't be written.
    """
    directory = make_report_directory(directory)
    names = [each.name for each in models]
    outputs = [each.translations for each in models]
    by_length = [
        bleu_by_source_length(sources, own, references, bucket_words) for own in outputs
    ]
    about: dict[str, Any] = {"source": files[0], "target": files[1]}
    about |= {"sentences": len(sources), "bucket_words": bucket_words}
    about |= {"sentences_shown": SHOWN, "neural_gpu_tf": __version__}
    tables = {
        "models": models_table(models),
        "decoding": decoding_table(models),
        "lengths": length_table(names, by_length),
        "curves": curves_table(models),
        "sentences": sentences_table(models, sources, references),
    }
    if len(models) > 1:
        bootstrap, signature = paired_bootstrap(outputs, references)
        about |= {"resamples": RESAMPLES, "confidence_percent": CONFIDENCE}
        about["bootstrap_signature"] = signature
        tables["bootstrap"] = bootstrap_table(names, bootstrap)
    settings = [(name, str(value)) for name, value in about.items()]
    tables["settings"] = Table(SETTINGS, ("setting", "value"), settings)
    charts = [length_chart(names, by_length), *curve_charts(models)]
    return _write_files(directory, names, about, tables, charts)


def _write_files(
    directory: Path,
    names: Sequence[str],
    about: Mapping[str, Any],
    tables: Mapping[str, Table],
    charts: Sequence[Chart],
) -> Path:
    """Writes the page and what it is made of; the path of the page."""
    text = report_page(
        **{"bootstrap": None, **tables},
        names=names,
        about=about,
        signatures=_signatures(tables["models"]),
        length_chart=charts[0],
        curve_charts=charts[1:],
        sentence_ends=_sentence_ends(tables["sentences"], names),
    )
    contents = {"index.html": text.encode()}
    contents |= {each.file: each.csv().encode() for each in tables.values()}
    contents |= {chart.file: chart.png() for chart in charts}
    with contextlib.ExitStack() as stack:  # all are written before one is replaced
        for file, content in contents.items():
            stack.enter_context(replacing(directory / file)).write_bytes(content)
        if "bootstrap" not in tables:  # of an earlier report
            (directory / BOOTSTRAP).unlink(missing_ok=True)
    return directory / "index.html"


def make_report_directory(path: str | os.PathLike[str]) -> Path:
    """Makes the directory of a report.

    Raises:
        InputError: it can't be made or written to.
    """
    directory = Path(path)
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"out={path}: can't make it: {error.strerror}; name another"
        ) from error
    if not os.access(directory, os.W_OK):
        raise InputError(f"out={path}: can't write there; name another")
    return directory


def _signatures(scores: Table) -> list[str]:
    """How the scores were computed, as sacreBLEU says it; each once."""
    column = scores.columns.index
    return sorted(
        {
            f"{name}: {row[column(key)]}."
            for row in scores.rows
            for name, key in (("BLEU", "bleu_signature"), ("chrF", "chrf_signature"))
        }
    )


def _sentence_ends(
    sentences: Table, names: Sequence[str]
) -> list[tuple[str, Sequence[Sequence[str]]]]:
    """The worst and the best sentences of each model, with a title."""
    ends = []
    for name in names:
        rows = [row for row in sentences.rows if row[0] == name]
        ends.append((f"{name}: worst", rows[:SHOWN]))
        ends.append((f"{name}: best", rows[SHOWN:][: -SHOWN - 1 : -1]))
    return [(title, rows) for title, rows in ends if rows]
