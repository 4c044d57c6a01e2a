"""The figures of a report."""

import functools
import io
from collections.abc import Callable, Sequence
from typing import NamedTuple

from PIL import Image

from neural_gpu_tf.evaluation.bleu_by_source_length import LengthBleu
from neural_gpu_tf.evaluation.line_chart import Line, line_chart
from neural_gpu_tf.evaluation.report_tables import ReportedModel

_CURVES = (  # file, kind and name of the scalar, y axis
    ("loss.png", "train", "loss", "loss in training, nats per symbol"),
    (
        "perplexity.png",
        "validation",
        "perplexity_symbol",
        "perplexity per symbol, validation",
    ),
    ("bleu.png", "validation", "bleu", "BLEU, validation"),
    ("chrf.png", "validation", "chrf", "chrF, validation"),
    ("exact_match.png", "validation", "exact_match", "share exactly right, validation"),
)


class Chart(NamedTuple):
    """A figure."""

    file: str
    alt: str  # what is to be seen, in words
    draw: Callable[..., Image.Image]  # takes dark=, whether light is on dark

    def png(self, dark: bool = False) -> bytes:
        """The picture, as a file's content."""
        file = io.BytesIO()
        self.draw(dark=dark).save(file, "PNG", optimize=True)
        return file.getvalue()


def length_chart(
    names: Sequence[str], buckets: Sequence[Sequence[LengthBleu]]
) -> Chart:
    """BLEU against source length, a line a model; see `bleu_by_source_length`."""
    lines = [
        Line(name, [(_middle(x), x.bleu) for x in own if x.bleu is not None])
        for name, own in zip(names, buckets, strict=True)
    ]
    ticks = {_middle(bucket): bucket.words for bucket in buckets[0]}
    axes = "words of the source", "BLEU"
    return Chart(
        "bleu_by_source_length.png",
        f"Line chart of BLEU against the length of the source: {', '.join(names)}. "
        "The table below has its numbers.",
        functools.partial(line_chart, lines, *axes, x_ticks=ticks),
    )


def curve_charts(models: Sequence[ReportedModel]) -> list[Chart]:
    """Training curves, a chart a scalar; none of what no model has."""
    charts = []
    for file, kind, name, label in _CURVES:
        lines = [
            Line(
                each.name,
                [(x.step, x.value) for x in each.scalars if x[:2] == (kind, name)],
            )
            for each in models
        ]
        if any(line.points for line in lines):
            log = name in ("loss", "perplexity_symbol")
            draw = functools.partial(line_chart, lines, "step", label, log=log)
            who = ", ".join(line.name for line in lines if line.points)
            charts.append(
                Chart(file, f"Line chart of {label} against step: {who}.", draw)
            )
    return charts


def _middle(bucket: LengthBleu) -> float:
    return (bucket.first + bucket.last) / 2
