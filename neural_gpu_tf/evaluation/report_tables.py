"""The tables of a report, as its CSV files hold them."""

import csv
import dataclasses
import io
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from sacrebleu.metrics import CHRF

from neural_gpu_tf.evaluation.bleu_by_source_length import LengthBleu
from neural_gpu_tf.evaluation.paired_bootstrap import BootstrapResult
from neural_gpu_tf.evaluation.read_scalars import Scalar
from neural_gpu_tf.options import DecodingConfig

BOOTSTRAP = "bootstrap.csv"


class ReportedModel(NamedTuple):
    """What a report tells of one model."""

    name: str  # no two models have the same
    model: str  # of `MODELS`
    parameters: int
    scores: Mapping[str, Any]  # of `evaluate`
    decoding: DecodingConfig
    translations: Sequence[str]
    scalars: Sequence[Scalar] = ()  # of its training


class Table(NamedTuple):
    """Columns by name; every cell is the text that also stands on the page."""

    file: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]

    def csv(self) -> str:
        """As a CSV file (RFC 4180, but for its line ends).

        Cells that a spreadsheet would take for a formula begin with an apostrophe.
        """
        text = io.StringIO()
        rows = [[_plain(cell) for cell in row] for row in [self.columns, *self.rows]]
        csv.writer(text, lineterminator="\n").writerows(rows)
        return text.getvalue()


def models_table(models: Sequence[ReportedModel]) -> Table:
    """A row a model; what could not be computed is empty."""
    columns = (
        "name",
        "model",
        "parameters",
        "perplexity_symbol",
        "log_perplexity",
        "bleu",
        "chrf",
        "exact_match",
        "symbols_per_second",
        "sources_cut",
        "bleu_signature",
        "chrf_signature",
    )
    rows = []
    for each in models:
        scores = each.scores
        perplexity = scores["perplexity_symbol"]
        rows.append(
            (
                each.name,
                each.model,
                str(each.parameters),
                _text(perplexity, ".5g"),
                _text(perplexity and math.log(perplexity), ".4f"),
                _text(scores["bleu"], ".2f"),
                _text(scores["chrf"], ".2f"),
                _text(scores["exact_match"], ".4f"),
                _text(scores["symbols_per_second"], ".0f"),
                str(scores["sources_cut"]),
                scores["bleu_signature"],
                scores["chrf_signature"],
            )
        )
    return Table("models.csv", columns, rows)


def decoding_table(models: Sequence[ReportedModel]) -> Table:
    """A row an option of decoding; the models are the columns."""
    rows = [
        (f"--{field.name}", *(str(getattr(x.decoding, field.name)) for x in models))
        for field in dataclasses.fields(DecodingConfig)
        if field.name != "n_best"  # only the best translation is looked at
    ]
    return Table("decoding.csv", ("option", *(each.name for each in models)), rows)


def bootstrap_table(names: Sequence[str], results: Sequence[BootstrapResult]) -> Table:
    """A row a model; the first has no p-value."""
    rows = [
        (
            name,
            _text(result.bleu, ".2f"),
            _text(result.mean, ".2f"),
            _text(result.interval, ".2f"),
            _text(result.p_value, ".4f"),
        )
        for name, result in zip(names, results, strict=True)
    ]
    columns = "name", "bleu", "mean", "interval", "p_value"
    return Table(BOOTSTRAP, columns, rows)


def length_table(
    names: Sequence[str], buckets: Sequence[Sequence[LengthBleu]]
) -> Table:
    """A row a bucket; every model's BLEU, of the same buckets, in a column."""
    rows = [
        (
            own[0].words,
            str(own[0].sentences),
            *(_text(bucket.bleu, ".2f") for bucket in own),
        )
        for own in zip(*buckets, strict=True)
    ]
    columns = ("source_words", "sentences", *names)
    return Table("bleu_by_source_length.csv", columns, rows)


def curves_table(models: Sequence[ReportedModel]) -> Table:
    """A row a point of any curve."""
    rows = [
        (each.name, kind, name, str(step), f"{value:.7g}")
        for each in models
        for kind, name, step, value in each.scalars
    ]
    columns = "name", "kind", "scalar", "step", "value"
    return Table("curves.csv", columns, rows)


def sentences_table(
    models: Sequence[ReportedModel], sources: Sequence[str], references: Sequence[str]
) -> Table:
    """A row a sentence and model, the worst of each model first.

    The score is sentence chrF (Popović 2015), which unlike BLEU tells short sentences
    apart. Of equal ones the longer reference comes first where the score is below 50,
    and last above: so both ends show the ones that say most.
    """
    metric = CHRF()
    rows = []
    for each in models:
        lines = []
        texts = zip(sources, references, each.translations, strict=True)
        for number, (source, reference, output) in enumerate(texts, 1):
            score = metric.sentence_score(output, [reference]).score
            length = len(reference) if score > 50 else -len(reference)
            row = each.name, str(number), source, reference, output, f"{score:.2f}"
            lines.append((score, length, number, row))
        rows += [row for *_, row in sorted(lines)]
    columns = "name", "line", "source", "reference", "output", "chrf"
    return Table("sentences.csv", columns, rows)


def _plain(cell: str) -> str:
    """The cell, in front of it an apostrophe if it could be a formula and no number."""
    if not cell.startswith(("=", "+", "-", "@", "\t", "\r")):
        return cell
    try:
        float(cell)
    except ValueError:
        return cell if re.fullmatch("--[a-z_]+", cell) else f"'{cell}"
    return cell


def _text(value: float | None, form: str) -> str:
    return "" if value is None else f"{value:{form}}"
