"""Which part of its source each symbol of an output was made of, drawn."""

from collections.abc import Sequence

import numpy as np
from PIL import Image, ImageDraw, ImageFont

_PIXELS = 900  # about the longer side of the matrix
_LEAST, _MOST = 4, 20  # pixels of a cell
_LINE = 14  # pixels that a line of text needs
_LONGEST = 24  # letters of a label
_MARGIN = 12


def alignment_frame(
    weights: np.ndarray, source: Sequence[str], output: Sequence[str]
) -> np.ndarray:
    """Draws a matrix of weights: the source across, the output down.

    White is 0, black 1 or more. The symbols stand beside their rows and above their
    columns, where there is room.

    Args:
        weights: [rows, columns].
        source: a short text for each column.
        output: a short text for each row.

    Returns:
        An RGB picture, uint8 [height, width, 3].
    """
    rows, columns = weights.shape
    cell = int(np.clip(_PIXELS // max(rows, columns), _LEAST, _MOST))
    above, beside = (
        {k: _label(text) for k, text in enumerate(texts) if text and cell >= _LINE}
        for texts in (source, output)
    )
    left, top = (
        _MARGIN + max((label.width for label in labels.values()), default=0)
        for labels in (beside, above)
    )
    width, height = columns * cell, rows * cell
    size = (left + width + _MARGIN, top + height + _MARGIN)
    picture = Image.new("RGB", size, "white")
    grey = (255 * (1 - np.clip(weights, 0, 1))).round().astype(np.uint8)
    grey = grey.repeat(cell, axis=0).repeat(cell, axis=1)
    picture.paste(Image.fromarray(grey), (left, top))
    frame = (left - 1, top - 1, left + width, top + height)
    ImageDraw.Draw(picture).rectangle(frame, outline=(160, 160, 160))
    for k, label in beside.items():
        middle = top + k * cell + (cell - label.height) // 2
        picture.paste(label, (left - 4 - label.width, middle))
    for k, label in above.items():
        label = label.rotate(90, expand=True)
        middle = left + k * cell + (cell - label.width) // 2
        picture.paste(label, (middle, top - 4 - label.height))
    return np.asarray(picture)


def _label(text: str) -> Image.Image:
    """A line of text, as a picture of its own."""
    font = ImageFont.load_default(11)
    if len(text) > _LONGEST:
        text = text[: _LONGEST - 1] + "…"
    size = (1 + int(np.ceil(font.getlength(text))), _LINE)
    label = Image.new("RGB", size, "white")
    draw = ImageDraw.Draw(label)
    draw.text((0, _LINE // 2), text, fill="black", font=font, anchor="lm")
    return label
