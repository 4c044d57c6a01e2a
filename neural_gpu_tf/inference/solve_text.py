"""Answers to questions in text, checked against the exact ones."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import tensorflow as tf

from neural_gpu_tf.constants import PAD
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.inference.solver import check_columns
from neural_gpu_tf.tasks import Task


class Solution(NamedTuple):
    """A model's answer and the exact one, as text."""

    answer: str  # what the model says
    exact: str  # what `Task.spec` says


def solve_text(
    solve: Callable[[tf.Tensor, tf.Tensor], tf.Tensor],
    task: Task,
    question: str,
    cell_bytes: int = 0,
) -> Solution:
    """Answers one question.

    Args:
        solve: source and size to symbols, e.g. a `Solver`.
        task: reads the question and knows the exact answer.
        question: as the task writes it, e.g. "110101+1011".
        cell_bytes: bytes of one column of one canvas (w·m·4), to check its size by.

    Raises:
        InputError: it is no question of this task, or beyond the memory limit.
    """
    source = task.parse(question)[None]
    check_columns(source.shape[1], cell_bytes, "the question")
    symbols = solve(tf.constant(source), tf.constant(task.size(source)))
    return Solution(task.format_target(symbols[0].numpy()), task.answer(question))


def solve_texts(
    solve: Callable[[tf.Tensor, tf.Tensor], tf.Tensor],
    task: Task,
    questions: Sequence[str],
    cell_bytes: int = 0,
) -> list[Solution]:
    """Answers questions, similarly long ones together; the order is theirs.

    Args:
        solve, task, cell_bytes: as for `solve_text`.
        questions: as the task writes them.

    Raises:
        InputError: one is no question of this task, or beyond the memory limit.
    """
    sources = []
    names = [f"question {number}" for number in range(1, len(questions) + 1)]
    for name, question in zip(names, questions, strict=True):
        sources.append(_parsed(task, question, name))
        check_columns(len(sources[-1]), cell_bytes, name)
    order = sorted(range(len(sources)), key=lambda index: -len(sources[index]))
    answers: dict[int, str] = {}
    while len(answers) < len(order):
        first = order[len(answers)]
        columns = len(sources[first])
        at_once = check_columns(columns, cell_bytes, names[first])
        some = order[len(answers) : len(answers) + at_once]
        source = np.full([len(some), columns], PAD, np.int32)
        for row, index in zip(source, some, strict=True):
            row[: len(sources[index])] = sources[index]
        symbols = solve(tf.constant(source), tf.constant(task.size(source)))
        for row, index in zip(symbols.numpy(), some, strict=True):
            answers[index] = task.format_target(row[: len(sources[index])])
    return [
        Solution(answers[index], task.answer(question))
        for index, question in enumerate(questions)
    ]


def _parsed(task: Task, question: str, name: str) -> np.ndarray:
    """The symbols of a question, int32 [n]; within errors, `name` tells which."""
    try:
        return task.parse(question)
    except InputError as error:
        raise InputError(f"{name}: {error}") from error
