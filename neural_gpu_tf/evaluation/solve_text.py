"""A model's answer to a question in text, checked against the exact one."""

from collections.abc import Callable
from typing import NamedTuple

import tensorflow as tf

from neural_gpu_tf.tasks import Task


class Solution(NamedTuple):
    """An answer and the truth, as text."""

    answer: str  # what the model says
    exact: str  # what `Task.spec` says


def solve_text(
    solve: Callable[[tf.Tensor, tf.Tensor], tf.Tensor], task: Task, question: str
) -> Solution:
    """Answers one question.

    Args:
        solve: source and size to symbols, e.g. a `Solver`.
        task: reads the question and knows the exact answer.
        question: as the task writes it, e.g. "110101+1011".

    Raises:
        InputError: it is no question of this task.
    """
    source = task.parse(question)[None]
    symbols = solve(tf.constant(source), tf.constant(task.size(source)))
    return Solution(task.format_target(symbols[0].numpy()), task.answer(question))
