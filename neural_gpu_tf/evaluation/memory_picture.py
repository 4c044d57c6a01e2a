"""The memory over time, drawn as the cellular automaton that it is."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.files import replacing

_PIXELS = 900  # about the width of the picture
_PANELS = 6
_LOW, _MIDDLE, _HIGH = (
    np.array(x, float) for x in ((33, 102, 172), (247,) * 3, (178, 24, 43))
)


def liveliest_maps(memory: np.ndarray, count: int = _PANELS) -> list[int]:
    """The maps that vary most over steps and columns, in their order."""
    spread = memory.std(axis=(0, 1))
    return sorted(np.argsort(-spread, kind="stable")[:count].tolist())


def memory_frames(
    memory: np.ndarray,
    source: Sequence[str],
    output: Sequence[str],
    maps: Sequence[int] | None = None,
    last_only: bool = True,
) -> list[np.ndarray]:
    """Draws row 0 of the canvas over time: a panel a map.

    In a panel, rows are steps 0 … n from top to bottom and columns the columns of the
    canvas. Blue is -1, white 0, red 1. The source's symbols stand above, the output's
    below, where there is room.

    Args:
        memory: [n + 1, n, m], s_t[k, 0] of one example.
        source, output: a short text for each column.
        maps: which maps; the liveliest if not given.
        last_only: one picture of all steps; else a picture after each step.

    Returns:
        RGB pictures, uint8 [height, width, 3].
    """
    maps = liveliest_maps(memory) if maps is None else list(maps)
    rows, columns = memory.shape[:2]
    font = ImageFont.load_default(12)
    across = max(1, min(len(maps), 3))
    cell = int(np.clip(_PIXELS // (across * (columns + 1)), 1, 16))
    margin, head = 12, 34
    panel_width, panel_height = columns * cell, rows * cell
    width = margin + across * (panel_width + margin)
    down = -(-len(maps) // across)
    height = margin + down * (panel_height + head + 18 + margin)
    value = np.clip(memory, -1, 1)[:, :, maps, None]
    colours = np.where(
        value < 0,
        _MIDDLE + value * (_MIDDLE - _LOW),
        _MIDDLE + value * (_HIGH - _MIDDLE),
    ).astype(np.uint8)

    def frame(steps: int) -> np.ndarray:
        picture = Image.new("RGB", (width, height), "white")
        draw = ImageDraw.Draw(picture)
        for i, number in enumerate(maps):
            left = margin + i % across * (panel_width + margin)
            top = margin + i // across * (panel_height + head + 18 + margin)
            draw.text((left, top), f"map {number}", fill="black", font=font)
            panel = np.full((rows, columns, 3), 225, np.uint8)
            panel[:steps] = colours[:steps, :, i]
            panel = panel.repeat(cell, axis=0).repeat(cell, axis=1)
            picture.paste(Image.fromarray(panel), (left, top + head))
            below = top + head + panel_height + 2
            for texts, y in ((source, top + 17), (output, below)):
                for k, text in enumerate(texts):
                    if cell >= 8 and (y < below or steps == rows):
                        x = left + k * cell + cell / 2
                        draw.text((x, y), text, fill="black", font=font, anchor="ma")
        return np.asarray(picture)

    return [frame(rows)] if last_only else [frame(t + 1) for t in range(rows)]


def write_memory_picture(
    path: str | os.PathLike[str],
    memory: np.ndarray,
    source: Sequence[str],
    output: Sequence[str],
    maps: Sequence[int] | None = None,
) -> None:
    """Writes `memory_frames` as a .png of all steps, or a .gif that shows them come.

    Raises:
        InputError: as `write_frames`, or there is no such map.
    """
    for number in maps or ():
        if number >= memory.shape[2]:
            raise InputError(
                f"--trace_maps: no map {number}; this model's maps are 0 to "
                f"{memory.shape[2] - 1}"
            )
    write_frames(
        path, lambda last_only: memory_frames(memory, source, output, maps, last_only)
    )


def write_frames(
    path: str | os.PathLike[str], frames: Callable[[bool], Sequence[np.ndarray]]
) -> None:
    """Writes a .png of all steps, or a .gif that shows them come.

    Args:
        path: the picture.
        frames: called with whether only the last one is wanted.

    Raises:
        InputError: the name ends otherwise, or the file can't be written; what was
            there is as it was.
    """
    kind = Path(path).suffix.lower()
    if kind not in (".png", ".gif"):
        raise InputError(f"trace={path}: name a .png or a .gif")
    frames = frames(kind == ".png")
    first, *others = (Image.fromarray(frame) for frame in frames)
    options: dict[str, Any] = {}
    if others:
        duration = max(40, 6000 // len(frames))  # milliseconds
        last = [2000]
        options = dict(
            save_all=True,
            append_images=others,
            duration=[duration] * len(others) + last,
            loop=0,
        )
    with replacing(path) as beside:
        first.save(beside, **options)
