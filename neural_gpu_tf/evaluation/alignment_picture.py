"""Heat maps of alignments: the weight of each source symbol for each output symbol."""

from collections.abc import Sequence

import numpy as np

from neural_gpu_tf.evaluation.figure_pixels import figure_pixels, literal

_DPI = 100
_SHARP = 2  # pixels of the picture for one of those below
_PIXELS = 900  # about the longer side of the matrix
_LEAST, _MOST = 4, 20  # pixels of a cell
_LINE = 14  # pixels that a line of text needs
_LONGEST = 24  # letters of a label


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
    from matplotlib.figure import Figure

    rows, columns = weights.shape
    cell = int(np.clip(_PIXELS // max(rows, columns), _LEAST, _MOST))
    figure = Figure((columns * cell / _DPI, rows * cell / _DPI), dpi=_DPI)
    axes = figure.add_axes((0, 0, 1, 1))  # the labels stand outside the figure's box
    axes.imshow(
        weights, "gray_r", aspect="auto", interpolation="nearest", vmin=0, vmax=1
    )
    axes.tick_params(length=0, labelsize=8, labeltop=True, labelbottom=False)
    above, beside = (
        {k: _label(text) for k, text in enumerate(texts) if text and cell >= _LINE}
        for texts in (source, output)
    )
    axes.set_xticks(list(above), list(above.values()), rotation=90)
    axes.set_yticks(list(beside), list(beside.values()))
    axes.spines[:].set_color("0.6")
    return figure_pixels(
        figure, dpi=_SHARP * _DPI, bbox_inches="tight", pad_inches=0.12
    )


def _label(text: str) -> str:
    return literal(text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…")
