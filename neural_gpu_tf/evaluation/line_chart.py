"""Line charts: one line a model, drawn for a page and for paper."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from PIL import Image

from neural_gpu_tf.evaluation.figure_pixels import figure_pixels, literal

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SCALE = 2  # pixels of the picture for one of a page: sharp on any screen

# Lengths in pixels of a page.
_WIDTH, _HEIGHT = 480, 290
_FONT, _LEGEND_LINE, _LETTER, _SWATCH = 12, 19, 7, 50
_LONGEST = 56  # letters of a name
_TICKS = 60  # letters of all texts of the x axis, beyond which they slant
_MARKS = 8  # about so many on a line: they tell lines apart, whatever the colours
_SHAPES = "osDv"

_LEGEND: dict[str, Any] = {"loc": "outside upper left", "frameon": False}


class _Look(NamedTuple):
    """Colours of a chart; those of lines are near Okabe & Ito's, for all eyes."""

    paper: str
    ink: str
    grid: str
    lines: tuple[str, ...]


_LIGHT = _Look(
    *("#ffffff", "#282a2e", "#e2e4e8"),
    ("#0068aa", "#cc5000", "#008762", "#aa4682", "#966e00"),
)
_DARK = _Look(
    *("#1b1d21", "#dee0e4", "#3e424a"),
    ("#60b8f0", "#f49642", "#32c896", "#e692c4", "#dec850"),
)


class Line(NamedTuple):
    """One line of a chart."""

    name: str
    points: Sequence[tuple[float, float]]


def line_chart(
    lines: Sequence[Line],
    x_label: str,
    y_label: str,
    *,
    x_ticks: Mapping[float, str] | None = None,
    log: bool = False,
    dark: bool = False,
    joined: bool = True,
) -> Image.Image:
    """Draws lines over a grid, with marks on them and a legend above.

    The i-th line has the i-th colour and mark, on every chart alike. The y axis begins
    at 0, a logarithmic one at the least value. Points that are not finite, or on a
    logarithmic axis not positive, are left out. The same arguments give the same
    pixels.

    Args:
        lines: at least one; any may have no points.
        x_label, y_label: what the axes show, with the unit.
        x_ticks: where the x axis has ticks, and what they say; else round numbers.
        log: the y axis is logarithmic.
        dark: light on dark.
        joined: draw lines; else only marks, one a point, as for kinds of things on x.

    Returns:
        An RGB picture, `SCALE` pixels for each pixel of a page.
    """
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    look = _DARK if dark else _LIGHT
    names = [_shortened(line.name) for line in lines]
    columns = max(1, _WIDTH // (_SWATCH + _LETTER * max(map(len, names))))
    height = _HEIGHT + _LEGEND_LINE * -(-len(lines) // columns)
    with rc_context({"font.size": _FONT, "text.color": look.ink}):
        figure = Figure((_WIDTH / 72, height / 72), layout="constrained")
        figure.set_facecolor(look.paper)
        axes = figure.add_subplot(facecolor=look.paper)
        for i, line in enumerate(lines):
            points = sorted(_drawable(line.points, log))
            # Where lines coincide, the earlier one is seen as an edge of the later one.
            more = (len(lines) - 1 - i) / len(lines)
            (drawn,) = axes.plot(
                *([x for x, _ in points], [y for _, y in points]),
                color=look.lines[i % len(look.lines)],
                linewidth=2 + 3 * more if joined else 0,
                marker=_SHAPES[i % len(_SHAPES)],
                markersize=8 + 5 * more,
                markevery=max(1, round(len(points) / _MARKS)) if joined else 1,
                clip_on=False,  # a mark on the axis is drawn whole
                zorder=3,
            )
            drawn.set_in_layout(False)  # it stays within the axes, but for marks
        _axes(axes, look, log and any(_drawable(x.points, log) for x in lines), x_ticks)
        axes.set_xlabel(literal(x_label), color=look.ink)
        axes.set_title(literal(y_label), loc="left", fontsize=_FONT)
        # Names are given: of lines' own labels those that begin with _ are left out.
        figure.legend(axes.get_lines(), names, ncols=columns, **_LEGEND)
        return Image.fromarray(figure_pixels(figure, dpi=72 * SCALE))


def _axes(
    axes: "Axes", look: _Look, log: bool, x_ticks: Mapping[float, str] | None
) -> None:
    """Scales, ticks and grid."""
    from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator

    if log:
        axes.set_yscale("log")
        low, high = axes.get_ylim()
        ticks = LogLocator(subs=(1, 2, 5))
        few = sum(low <= x <= high for x in ticks.tick_values(low, high)) < 3
        axes.yaxis.set_major_locator(
            MaxNLocator(6, steps=[1, 2, 5, 10]) if few else ticks
        )
        axes.yaxis.set_minor_locator(NullLocator())
    else:
        axes.set_ylim(bottom=0)
        axes.yaxis.set_major_locator(MaxNLocator(6))
    axes.yaxis.set_major_formatter(FuncFormatter(_text))
    if x_ticks:
        slanting = sum(map(len, x_ticks.values())) > _TICKS
        texts = map(literal, x_ticks.values())
        options: dict[str, Any] = {"rotation": 40, "ha": "right"} if slanting else {}
        axes.set_xticks(list(x_ticks), list(texts), **options)
    else:
        axes.xaxis.set_major_locator(MaxNLocator(6))
        axes.xaxis.set_major_formatter(FuncFormatter(_text))
    axes.grid(axis="y", color=look.grid)
    axes.set_axisbelow(True)
    axes.tick_params(colors=look.ink)
    axes.tick_params(axis="y", length=0)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.spines["bottom"].set_color(look.ink)


def _drawable(
    points: Sequence[tuple[float, float]], log: bool
) -> list[tuple[float, float]]:
    return [
        (x, y)
        for x, y in points
        if math.isfinite(x) and math.isfinite(y) and (y > 0 or not log)
    ]


def _text(value: float, place: int | None = None) -> str:
    value = round(value, 12)
    return f"{value:,.10g}" if 1e-4 <= abs(value) < 1e9 else f"{value:g}"


def _shortened(name: str) -> str:
    return literal(name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…")
