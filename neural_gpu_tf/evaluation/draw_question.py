"""Pictures of a model's memory while it answers a question."""

import os
from collections.abc import Sequence

import keras
import numpy as np

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.evaluation.memory_picture import memory_frames, write_memory_picture
from neural_gpu_tf.models import NeuralGPU
from neural_gpu_tf.tasks import Task


def has_picture(model: keras.Model) -> bool:
    """Whether a model has a memory that can be drawn over time."""
    return isinstance(model, NeuralGPU)


def draw_question(
    path: str | os.PathLike[str],
    model: keras.Model,
    task: Task,
    question: str,
    maps: Sequence[str] = (),
) -> None:
    """Writes the memory of one question as .png or .gif; see `memory_frames`.

    Args:
        path: the picture.
        model: gives its memory.
        task: reads the question.
        question: as the task writes it.
        maps: which maps, as texts; the liveliest if empty.

    Raises:
        InputError: it is no question of the task, no map, or no place to write; or
            the model has no memory over time.
    """
    if not has_picture(model):
        raise InputError(f"--trace={path}: {type(model).__name__} can't be drawn")
    for number in maps:
        if not number.strip().isdecimal():
            raise InputError(f"--trace_maps={','.join(maps)}: give numbers, like 0,5")
    source = task.parse(question)
    chosen = [int(number) for number in maps] or None
    write_memory_picture(path, *_memory(model, task, source), chosen)


def question_frames(model: NeuralGPU, task: Task, source: np.ndarray) -> np.ndarray:
    """The picture of all steps on one source, int [n]: uint8 [height, width, 3]."""
    return memory_frames(*_memory(model, task, source))[0]


def _memory(
    model: NeuralGPU, task: Task, source: np.ndarray
) -> tuple[np.ndarray, list[str], list[str]]:
    """Row 0 of the canvas over time [n + 1, n, m], and the symbols of both ends."""
    trace = model.encode(source[None], task.size(source[None]), trace=True)[:, :, :, 0]
    output = np.argmax(np.asarray(model.readout(trace[-1])), axis=-1)[0]
    names = task.symbols
    return np.asarray(trace)[:, 0], *(
        [names[symbol] for symbol in symbols] for symbols in (source, output)
    )
