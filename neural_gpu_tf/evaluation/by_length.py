"""How often an algorithm is right, by the length of its input."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import tensorflow as tf

from neural_gpu_tf.inference import check_columns
from neural_gpu_tf.progress_bar import progress_bar
from neural_gpu_tf.tasks import Addition, Task, carry_length


class LengthScore(NamedTuple):
    """What came out at one length."""

    bits: int
    columns: int
    examples: int
    exact: float  # share of examples with every symbol right
    symbols: float  # share of symbols right
    by_carry: list[dict[str, float]]  # of hard sums: {"carry", "examples", "exact"}


def by_length(
    solve: Callable[[tf.Tensor, tf.Tensor], tf.Tensor],
    task: Task,
    bits: Sequence[int],
    examples: int,
    cell_bytes: int,
    seed: int = 0,
    hard: bool = False,
) -> list[LengthScore]:
    """Measures the share of right examples and symbols at each length.

    Args:
        solve: source and size to symbols, e.g. a `Solver`.
        task: gives the examples and their exact answers.
        bits: digits of an operand.
        examples: how many at each length.
        cell_bytes: bytes of one column of one canvas (w·m·4), which bound the batch.
        seed: of the examples.
        hard: draw the task's hard inputs instead of random ones.

    Raises:
        InputError: one example alone is beyond the memory limit.
    """
    scores = []
    for length in bits:
        columns = task.canvas(length)
        at_once = check_columns(columns, cell_bytes, f"bits={length}")
        source, target, size = task.questions(seed, length, examples, hard)
        right = _right_symbols(solve, source, target, size, at_once, f"length {length}")
        by_carry = []
        if hard and isinstance(task, Addition):
            by_carry = _by_carry(task, source, right == size)
        scores.append(
            LengthScore(
                bits=length,
                columns=columns,
                examples=examples,
                exact=float(np.mean(right == size)),
                symbols=float(right.sum()) / float(size.sum()),
                by_carry=by_carry,
            )
        )
    return scores


def _right_symbols(
    solve: Callable[[tf.Tensor, tf.Tensor], tf.Tensor],
    source: np.ndarray,
    target: np.ndarray,
    size: np.ndarray,
    at_once: int,
    what: str,
) -> np.ndarray:
    """How many symbols of each example are right, [examples]."""
    inside = np.arange(source.shape[1]) < size[:, None]
    right = np.zeros(0, int)
    with progress_bar(what=what, unit=" examples", total=len(size)) as bar:
        for done in range(0, len(size), at_once):
            part = slice(done, done + at_once)
            same = np.asarray(solve(source[part], size[part])) == target[part]
            right = np.append(right, (same & inside[part]).sum(axis=1))
            bar.set_postfix(exact=f"{np.mean(right == size[: len(right)]):.1%}")
            bar.update(len(same))
    return right


def _by_carry(
    task: Addition, source: np.ndarray, exact: np.ndarray
) -> list[dict[str, float]]:
    """The share of right sums by the columns that the longest carry runs through."""
    lengths = np.array(
        [carry_length(*task.numbers(row), base=task.base) for row in source]
    )
    return [
        {
            "carry": int(length),
            "examples": int(np.sum(lengths == length)),
            "exact": float(np.mean(exact[lengths == length])),
        }
        for length in np.unique(lengths)
    ]
