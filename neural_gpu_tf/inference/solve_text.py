"""Answers to questions in text, checked against the exact ones."""

from collections.abc import Callable
from typing import NamedTuple

import tensorflow as tf

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
