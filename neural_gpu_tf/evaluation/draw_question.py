"""Pictures of a model's memory while it answers a question."""

import math
import os
from collections.abc import Sequence

import keras
import numpy as np
import tensorflow as tf

from neural_gpu_tf.constants import PAD
from neural_gpu_tf.decoding import all_symbols
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.evaluation.memory_picture import (
    memory_frames,
    write_frames,
    write_memory_picture,
)
from neural_gpu_tf.evaluation.weightings_picture import weightings_frames
from neural_gpu_tf.inference.solver import CANVAS_BYTES
from neural_gpu_tf.models import NeuralTuringMachine
from neural_gpu_tf.models.all_at_once import AllAtOnce
from neural_gpu_tf.tasks import Task

_MEMORY_BYTES = 4 * CANVAS_BYTES  # of all steps: the process has room for ten canvases


def has_picture(model: keras.Model) -> bool:
    """Whether a model has a memory that can be drawn over time."""
    return isinstance(model, (AllAtOnce, NeuralTuringMachine))


def draw_question(
    path: str | os.PathLike[str],
    model: keras.Model,
    task: Task,
    question: str,
    maps: Sequence[str] = (),
) -> None:
    """Writes the memory of one question as .png or .gif.

    Of a Neural GPU, what is in it, see `memory_frames`; of a Neural Turing Machine,
    where its heads are, see `weightings_frames`.

    Args:
        path: the picture.
        model: gives its memory.
        task: reads the question.
        question: as the task writes it.
        maps: which maps of a Neural GPU, as texts; the liveliest if empty.

    Raises:
        InputError: it is no question of the task, no map, or no place to write; the
            model has no memory over time, or too much of it.
    """
    if not has_picture(model):
        raise InputError(f"trace={path}: {type(model).__name__} can't be drawn")
    for number in maps:
        if not number.strip().isdecimal():
            raise InputError(f"trace_maps={','.join(maps)}: give numbers, like 0,5")
    source = task.parse(question)
    if isinstance(model, AllAtOnce):
        _check_memory(model, len(source), path)
        chosen = [int(number) for number in maps] or None
        write_memory_picture(path, *_memory(model, task, source), chosen)
        return
    if maps:
        raise InputError(
            f"trace_maps={','.join(maps)}: {type(model).__name__} has heads, no "
            "maps; leave it out to draw all heads"
        )
    seen = _weightings(model, task, source)
    write_frames(path, lambda last_only: weightings_frames(*seen, last_only=last_only))


def _check_memory(
    model: keras.Model, columns: int, path: str | os.PathLike[str]
) -> None:
    """Raises InputError if n + 1 canvases of n columns are beyond the memory limit."""
    config = model.get_config()
    most = _MEMORY_BYTES // (4 * config.get("width", 1) * config["maps"])
    if (columns + 1) * columns > most:
        raise InputError(
            f"trace={path}: {columns + 1} canvases of {columns} columns exceed the "
            f"memory limit; use at most {math.isqrt(most) - 1} columns"
        )


def question_frames(model: keras.Model, task: Task, source: np.ndarray) -> np.ndarray:
    """The picture of all steps on one source, int [n]: uint8 [height, width, 3].

    Args:
        model: one that `has_picture`.
    """
    if isinstance(model, AllAtOnce):
        return memory_frames(*_memory(model, task, source))[0]
    return weightings_frames(*_weightings(model, task, source))[0]


def _memory(
    model: AllAtOnce, task: Task, source: np.ndarray
) -> tuple[np.ndarray, list[str], list[str]]:
    """Row 0 of the canvas over time [n + 1, n, m], and the symbols of both ends."""
    trace = model.encode(source[None], task.size(source[None]), trace=True)[:, :, :, 0]
    output = np.argmax(np.asarray(model.readout(trace[-1])), axis=-1)[0]
    return np.asarray(trace)[:, 0], _names(task, source), _names(task, output)


def _weightings(
    model: NeuralTuringMachine, task: Task, source: np.ndarray
) -> tuple[np.ndarray, np.ndarray, list[str], list[str]]:
    """Where the heads write and read [steps, heads, N], and what they read and said.

    Of the source only what exists is a step.
    """
    size = task.size(source[None])
    read = source[source != PAD]
    rows = np.pad(read, (0, size[0] - len(read)))[None]
    output = all_symbols(model, tf.constant(rows, tf.int32), tf.constant(size))
    weightings = model.weightings(rows, output, size)
    steps = [*range(len(read)), *range(size[0], 2 * size[0])]
    return (
        np.asarray(weightings.write)[0, steps],
        np.asarray(weightings.read)[0, steps],
        _names(task, read),
        _names(task, np.asarray(output)[0]),
    )


def _names(task: Task, symbols: np.ndarray) -> list[str]:
    """The text of each symbol."""
    return [task.symbols[symbol] for symbol in symbols]
