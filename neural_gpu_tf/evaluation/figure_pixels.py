"""Matplotlib figures as pixels, drawn without a display."""

import io
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from PIL import Image

if TYPE_CHECKING:  # Matplotlib is imported when something is drawn
    from matplotlib.figure import Figure


def figure_pixels(figure: "Figure", **options: Any) -> np.ndarray:
    """Draws a figure with matplotlib's Agg renderer.

    Args:
        figure: a `matplotlib.figure.Figure`, which `pyplot` need not know.
        options: of its `savefig`, e.g. bbox_inches="tight".

    Returns:
        An RGB picture, uint8 [height, width, 3]; the same figure gives the same pixels.
    """
    file = io.BytesIO()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")  # shown as a box
        figure.savefig(file, format="png", **options)
    return np.asarray(Image.open(file).convert("RGB"))


def literal(text: str) -> str:
    """A text that matplotlib draws as it is: its dollars begin no formula."""
    return text.replace("$", r"\$")
