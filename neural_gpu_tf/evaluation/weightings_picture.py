"""Where the heads of a Neural Turing Machine were, step after step, drawn."""

from collections.abc import Sequence

import numpy as np
from PIL import Image, ImageDraw, ImageFont

_PIXELS = 900  # about the width of the picture
_TALLEST = 600  # about the height of a panel
_LINE = 17  # pixels from one line of text to the next
_NOT_YET = 225
_BORDER = (178, 24, 43)


def weightings_frames(
    write: np.ndarray,
    read: np.ndarray,
    source: Sequence[str],
    output: Sequence[str],
    last_only: bool = True,
) -> list[np.ndarray]:
    """Draws the weightings over time: a panel a head, those that write first.

    In a panel, columns are steps from left to right and rows the rows of the memory.
    White is 0, black 1. Red stands between the steps that read the source, whose
    symbols are above their columns, and those that say the output, whose symbols are
    too, where there is room. (Graves, Wayne & Danihelka 2014, fig. 6.)

    Args:
        write, read: [steps, heads, N], of one example.
        source, output: a short text for each step, of reading and then of saying.
        last_only: one picture of all steps; else a picture after each step.

    Returns:
        RGB pictures, uint8 [height, width, 3].
    """
    heads = [("write", x) for x in np.moveaxis(write, 1, 0)]
    heads += [("read", x) for x in np.moveaxis(read, 1, 0)]
    steps, rows = heads[0][1].shape
    font = ImageFont.load_default(12)
    margin, head = 12, 2 * _LINE
    wide = int(np.clip(_PIXELS // steps, 1, 16))
    high = int(np.clip(_TALLEST // rows, 1, 16))
    panel_width, panel_height = steps * wide + 1, rows * high
    width = 2 * margin + panel_width
    height = margin + len(heads) * (head + panel_height + margin)
    grey = [255 * (1 - np.clip(x.T, 0, 1)) for _, x in heads]
    border = len(source) * wide

    def frame(shown: int) -> np.ndarray:
        picture = Image.new("RGB", (width, height), "white")
        draw = ImageDraw.Draw(picture)
        for i, (kind, _) in enumerate(heads):
            left, top = margin, margin + i * (head + panel_height + margin)
            draw.text((left, top), f"{kind} head", fill="black", font=font)
            panel = np.full((rows, steps), _NOT_YET, np.uint8)
            panel[:, :shown] = grey[i][:, :shown].round()
            panel = panel.repeat(high, axis=0).repeat(wide, axis=1)
            panel = np.insert(panel, border, 0, axis=1)[:, :, None].repeat(3, axis=2)
            panel[:, border] = _BORDER
            picture.paste(Image.fromarray(panel), (left, top + head))
            for k, text in enumerate([*source, *output][:shown]):
                if wide >= 8:
                    x = left + k * wide + wide / 2 + (k >= len(source))
                    y = top + _LINE
                    draw.text((x, y), text, fill="black", font=font, anchor="ma")
        return np.asarray(picture)

    return [frame(steps)] if last_only else [frame(t + 1) for t in range(steps)]
