"""A page that compares models: tables, figures and the files behind them."""

import os
from collections.abc import Sequence
from pathlib import Path

from neural_gpu_tf import __version__
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.evaluation.bleu_by_source_length import bleu_by_source_length
from neural_gpu_tf.evaluation.paired_bootstrap import (
    CONFIDENCE,
    RESAMPLES,
    paired_bootstrap,
)
from neural_gpu_tf.evaluation.report_charts import Chart, curve_charts, length_chart
from neural_gpu_tf.evaluation.report_page import (
    figures,
    page,
    paragraph,
    section,
    table,
)
from neural_gpu_tf.evaluation.report_tables import (
    ReportedModel,
    Table,
    bootstrap_table,
    curves_table,
    decoding_table,
    length_table,
    models_table,
    sentences_table,
)

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
    about = {
        "source": files[0],
        "target": files[1],
        "sentences": len(sources),
        "bucket_words": bucket_words,
        "sentences_shown": SHOWN,
        "neural_gpu_tf": __version__,
    }
    tables = [
        models_table(models),
        decoding_table(models),
        length_table(names, by_length),
        curves_table(models),
        sentences_table(models, sources, references),
    ]
    scores, decoding, lengths, curves, sentences = tables
    length, training = length_chart(names, by_length), curve_charts(models)
    parts = [
        paragraph(
            f"{len(sources)} sentences of {files[0]}, with the references of "
            f"{files[1]}. neural_gpu_tf {__version__}.",
            SETTINGS,
        ),
        _models(scores),
        _decoding(decoding, names),
        _lengths(lengths, names, figures(length)),
        _training(curves, figures(*training)),
        _sentences(sentences, names),
    ]
    if len(models) > 1:
        bootstrap, signature = paired_bootstrap(outputs, references)
        about |= {
            "resamples": RESAMPLES,
            "confidence_percent": CONFIDENCE,
            "bootstrap_signature": signature,
        }
        tables.append(bootstrap_table(names, bootstrap))
        parts.insert(3, _intervals(tables[-1], names[0]))
    settings = [(name, str(value)) for name, value in about.items()]
    tables.append(Table(SETTINGS, ("setting", "value"), settings))
    text = page("Translation report", *parts)
    return _write_files(directory, text, tables, [length, *training])


def _write_files(
    directory: Path, text: str, tables: Sequence[Table], charts: Sequence[Chart]
) -> Path:
    """Writes the page and what it is made of; the path of the page."""
    try:
        for each in tables:
            (directory / each.file).write_text(each.csv(), "utf-8", newline="")
        for chart in charts:
            (directory / chart.file).write_bytes(chart.png())
        index = directory / "index.html"
        index.write_text(text, "utf-8")
    except OSError as error:
        raise InputError(
            f"{error.filename}: can't write it ({error.strerror}); name another --out"
        ) from error
    return index


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


def _models(scores: Table) -> str:
    headings = {
        "name": "name",
        "model": "model",
        "parameters": "parameters",
        "perplexity_symbol": "perplexity",
        "log_perplexity": "log perplexity",
        "bleu": "BLEU",
        "chrf": "chrF",
        "exact_match": "exactly right",
        "symbols_per_second": "symbols/s",
        "sources_cut": "sources cut",
    }
    column = scores.columns.index
    signatures = {
        f"{name}: {row[column(key)]}."
        for row in scores.rows
        for name, key in (("BLEU", "bleu_signature"), ("chrF", "chrf_signature"))
    }
    return section(
        "Models",
        table(scores, headings, "sizes and scores of the models"),
        paragraph(
            "Perplexity is per symbol of the references, and log perplexity its "
            "natural logarithm. BLEU and chrF are those of the corpus, of translations "
            "that the models made free-running; exactly right is the share of "
            "translations that equal their reference. Symbols/s is the speed of "
            "decoding where this page was made. Sources cut are longer than the "
            "model may read (--max_source_length), and their end is not translated.",
            scores.file,
        ),
        paragraph(" ".join(sorted(signatures))),
    )


def _decoding(decoding: Table, names: Sequence[str]) -> str:
    headings = {name: name for name in ("option", *names)}
    return section(
        "How they decoded",
        table(decoding, headings, "decoding options of the models"),
        paragraph("Options of neural-gpu-translate.", decoding.file),
    )


def _intervals(intervals: Table, first: str) -> str:
    headings = {
        "name": "name",
        "bleu": "BLEU",
        "mean": "mean",
        "interval": "±",
        "p_value": "p",
    }
    return section(
        "Is the difference by chance?",
        table(intervals, headings, "confidence intervals of BLEU"),
        paragraph(
            f"Paired bootstrap: {RESAMPLES} test sets drawn from this one, with "
            f"replacement, the same for all models. {CONFIDENCE}% of their BLEU lie "
            "within mean ± the half-width beside it. A small p says that so large a "
            f"difference from {first} is hardly by chance.",
            intervals.file,
        ),
    )


def _lengths(lengths: Table, names: Sequence[str], figure: str) -> str:
    headings = {"source_words": "words", "sentences": "sentences"}
    return section(
        "BLEU by source length",
        figure,
        table(
            lengths,
            headings | {name: name for name in names},
            "BLEU by source length",
        ),
        paragraph(
            "Sentences with about equally many words in the source, each group scored "
            "as a corpus of its own; without BLEU where no reference has four words in "
            "a row. Where there are few sentences, BLEU is uncertain.",
            lengths.file,
        ),
    )


def _training(curves: Table, figures: str) -> str:
    if not curves.rows:
        return section("Training", paragraph("No run has TensorBoard's event files."))
    return section(
        "Training",
        figures,
        paragraph(
            "From TensorBoard's event files; the validation data are those of each "
            "run. All curves, those not drawn too:",
            curves.file,
        ),
    )


def _sentences(sentences: Table, names: Sequence[str]) -> str:
    headings = {
        "line": "line",
        "chrf": "chrF",
        "source": "source",
        "reference": "reference",
        "output": "output",
    }
    parts = [
        paragraph(
            f"The {SHOWN} worst and {SHOWN} best of each model by sentence chrF. "
            "All sentences:",
            sentences.file,
        )
    ]
    for name in names:
        rows = [row for row in sentences.rows if row[0] == name]
        ends = {"worst": rows[:SHOWN], "best": rows[SHOWN:][: -SHOWN - 1 : -1]}
        for which, some in ends.items():
            if some:
                title = f"{name}: {which}"
                shown = sentences._replace(rows=some)
                parts.append(section(title, table(shown, headings, title), level=3))
    return section("Sentences", *parts)
