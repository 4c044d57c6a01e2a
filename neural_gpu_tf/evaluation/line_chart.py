"""Line charts: one line a model, drawn for a page and for paper."""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from PIL import Image, ImageDraw, ImageFont

SCALE = 2  # pixels of the picture for one of a page: sharp on any screen
_SMOOTH = 2  # it is drawn so many times larger still, and shrunk

# Lengths below are in pixels of a page.
_WIDTH, _PLOT = 480, 230  # of the picture; height of the plot in it
_LEFT, _RIGHT, _EDGE = 56, 22, 12
_FONT, _LINE = 14, 22
_SWATCH, _GAP = 28, 18
_MARKS = 8  # about so many on a line: they tell lines apart, whatever the colours

_Colour = tuple[int, int, int]


class _Look(NamedTuple):
    """Colours of a chart; those of lines are near Okabe & Ito's, for all eyes."""

    paper: _Colour
    ink: _Colour
    grid: _Colour
    lines: tuple[_Colour, ...]


_LIGHT = _Look(
    (255, 255, 255),
    (40, 42, 46),
    (226, 228, 232),
    ((0, 104, 170), (204, 80, 0), (0, 135, 98), (170, 70, 130), (150, 110, 0)),
)
_DARK = _Look(
    (27, 29, 33),
    (222, 224, 228),
    (62, 66, 74),
    ((96, 184, 240), (244, 150, 66), (50, 200, 150), (230, 146, 196), (222, 200, 80)),
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

    Returns:
        An RGB picture, `SCALE` pixels for each pixel of a page.
    """
    drawn = [sorted(_drawable(line.points, log)) for line in lines]
    xs = [x for points in drawn for x, _ in points]
    ys = [y for points in drawn for _, y in points]
    x_texts = x_ticks or {x: _text(x) for x in round_ticks(xs)}
    log = log and bool(ys)
    y_ticks = log_ticks(min(ys), max(ys)) if log else round_ticks([0.0, *ys])
    places = _legend([line.name for line in lines])
    top = places[-1][1] + 2 * _LINE + 4
    bottom, right = top + _PLOT, _WIDTH - _RIGHT
    to_x = _axis([*xs, *x_texts], _LEFT + 12, right - 12)
    to_y = _axis([*ys, *y_ticks], bottom, top + 6, log)

    look = _DARK if dark else _LIGHT
    pen = _Pen(_WIDTH, bottom + 52, look)
    pen.text(_EDGE, top - _LINE, y_label, "lt")
    for y in y_ticks:
        pen.line([(_LEFT, to_y(y)), (right, to_y(y))], look.grid, 1)
        pen.text(_LEFT - 7, to_y(y), _text(y), "rm")
    pen.line([(_LEFT, bottom), (right, bottom)], look.ink, 1)
    taken = 0.0  # a text that would run into the one before it is left out
    for x, text in sorted(x_texts.items()):
        pen.line([(to_x(x), bottom), (to_x(x), bottom + 5)], look.ink, 1)
        half = _length(text) / 2
        if to_x(x) - half > taken:
            pen.text(to_x(x), bottom + 9, text, "mt")
            taken = to_x(x) + half + 6
    pen.text((_LEFT + right) / 2, bottom + 31, x_label, "mt")

    for i in range(len(lines)):
        # Where lines coincide, the earlier one is seen as an edge of the later one.
        more = (len(lines) - 1 - i) / len(lines)
        colour = look.lines[i % len(look.lines)]
        path = [(to_x(x), to_y(y)) for x, y in drawn[i]]
        left, middle, name = places[i]
        swatch = [(left, middle), (left + _SWATCH, middle)]
        for points in (path, swatch):
            pen.line(points, colour, 2 + 3 * more)
        every = max(1, round(len(path) / _MARKS))
        for x, y in [*path[::-every], (left + _SWATCH / 2, middle)]:
            pen.mark(x, y, i, 1 + 0.6 * more, colour)
        pen.text(left + _SWATCH + 6, middle, name, "lm")
    return pen.picture()


def round_ticks(values: Sequence[float], about: int = 5) -> list[float]:
    """Multiples of 1, 2 or 5 times a power of ten, in the range of the values."""
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    if low == high:
        high = low + 1
    least = (high - low) / about
    power = math.floor(math.log10(least))
    step, power = min(
        ((factor, power) for factor in (1, 2, 5, 10)),
        key=lambda step: abs(math.log(step[0] * 10.0 ** step[1] / least)),
    )
    unit = step * 10.0**power
    first, last = math.ceil(low / unit - 1e-9), math.floor(high / unit + 1e-9)
    return [round(i * unit, max(0, -power)) for i in range(first, last + 1)]


def log_ticks(low: float, high: float) -> list[float]:
    """1, 2 and 5 times powers of ten; powers alone if too many, else round numbers."""
    powers = range(math.floor(math.log10(low)), math.floor(math.log10(high)) + 1)
    for factors in ((1, 2, 5), (1,)):
        ticks = [factor * 10.0**power for power in powers for factor in factors]
        ticks = [tick for tick in ticks if low <= tick <= high]
        if 3 <= len(ticks) <= 7:
            return ticks
    if len(ticks) > 7:
        return ticks[:: -(-len(ticks) // 7)]
    return round_ticks([low, high])


def _drawable(
    points: Sequence[tuple[float, float]], log: bool
) -> list[tuple[float, float]]:
    return [
        (x, y)
        for x, y in points
        if math.isfinite(x) and math.isfinite(y) and (y > 0 or not log)
    ]


def _text(value: float) -> str:
    return f"{value:,.10g}" if 1e-4 <= abs(value) < 1e9 else f"{value:g}"


def _length(text: str) -> float:
    return ImageFont.load_default(_FONT).getlength(text)


def _legend(names: Sequence[str]) -> list[tuple[float, float, str]]:
    """Left end and middle of each entry, and its name, cut if it is too long."""
    places: list[tuple[float, float, str]] = []
    left, middle = float(_EDGE), _EDGE + _FONT / 2
    for name in names:
        while _SWATCH + 6 + _length(name) > _WIDTH - 2 * _EDGE:
            name = name.removesuffix("...")[:-1] + "..."
        width = _SWATCH + 6 + _length(name)
        if left > _EDGE and left + width > _WIDTH - _EDGE:
            left, middle = _EDGE, middle + _LINE
        places.append((left, middle, name))
        left += width + _GAP
    return places


def _axis(values: Sequence[float], start: float, end: float, log: bool = False):
    """The function from a value to its place between `start` and `end`."""
    of = math.log if log else float
    low, high = of(min(values)), of(max(values))
    if low == high:
        low, high = low - 0.5, high + 0.5
    return lambda value: start + (of(value) - low) / (high - low) * (end - start)


class _Pen:
    """Draws on paper that is measured in pixels of a page."""

    def __init__(self, width: float, height: float, look: _Look):
        self._zoom = SCALE * _SMOOTH
        size = round(width) * self._zoom, round(height) * self._zoom
        self._image = Image.new("RGB", size, look.paper)
        self._draw = ImageDraw.Draw(self._image)
        self._font = ImageFont.load_default(_FONT * self._zoom)
        self._ink = look.ink

    def text(self, x: float, y: float, text: str, anchor: str) -> None:
        place = x * self._zoom, y * self._zoom
        self._draw.text(place, text, self._ink, self._font, anchor)

    def line(
        self, path: Sequence[tuple[float, float]], colour: _Colour, width: float
    ) -> None:
        if len(path) > 1:
            path = [(x * self._zoom, y * self._zoom) for x, y in path]
            self._draw.line(path, colour, round(width * self._zoom), "curve")

    def mark(self, x: float, y: float, kind: int, size: float, colour: _Colour) -> None:
        """A circle, a square, a triangle or a diamond."""
        corners, first, radius = (
            (32, 0, 4.5),
            (4, 45, 5.5),
            (3, -90, 6),
            (4, 0, 6),
        )[kind % 4]
        radius *= size
        angles = [math.radians(first + 360 / corners * k) for k in range(corners)]
        outline = [
            (
                (x + radius * math.cos(angle)) * self._zoom,
                (y + radius * math.sin(angle)) * self._zoom,
            )
            for angle in angles
        ]
        self._draw.polygon(outline, colour)

    def picture(self) -> Image.Image:
        return self._image.reduce(_SMOOTH)
