"""How often an algorithm is right, by the length of its input."""

import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import keras
import numpy as np
import tensorflow as tf
from absl import logging

from neural_gpu_tf.decoding import all_symbols
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.tasks import Addition, Task, carry_length

_SAYS_EVERY = 30  # seconds

CANVAS_BYTES = 1 << 28
"""Most memory of one tensor of the loop; the whole process needs about ten."""
CACHE_BYTES = 1 << 24
"""Most memory of such a tensor of several examples: larger ones leave the processor's
cache, and were measured to take 1.25 times as long an example."""


class LengthScore(NamedTuple):
    """What came out at one length."""

    bits: int
    columns: int
    examples: int
    exact: float  # share of examples with every symbol right
    symbols: float  # share of symbols right
    by_carry: list[dict[str, float]]  # of hard sums: {"carry", "examples", "exact"}


class Solver:
    """A model's answers, all symbols of the canvas; see `all_symbols`.

    Args:
        model: any of the package's.
    """

    def __init__(self, model: keras.Model):
        self.model = model

    @tf.function(
        input_signature=[
            tf.TensorSpec([None, None], tf.int32),
            tf.TensorSpec([None], tf.int32),
        ],
        autograph=False,
    )
    def __call__(self, source: tf.Tensor, size: tf.Tensor) -> tf.Tensor:
        """The likeliest symbols: [batch, n], [batch] → int32 [batch, n]."""
        return all_symbols(self.model, source, size)


def check_columns(columns: int, cell_bytes: int, where: str) -> int:
    """How many canvases of so many columns to take at once; the memory is checked.

    Args:
        columns: n.
        cell_bytes: bytes of one column of one canvas (w·m·4).
        where: what asks for them, for the message.

    Raises:
        InputError: not even one.
    """
    tensor_bytes = max(3 * columns * cell_bytes, 1)
    if tensor_bytes > CANVAS_BYTES:
        raise InputError(
            f"{where}: {columns} columns of {cell_bytes} bytes are beyond the memory "
            f"limit; ask for at most {CANVAS_BYTES // (3 * cell_bytes)} columns"
        )
    return max(CACHE_BYTES // tensor_bytes, 1)


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

    What takes long says in the log, now and then, how far it is.

    Raises:
        InputError: one example alone is beyond the memory limit.
    """
    scores = []
    for length in bits:
        rng = np.random.default_rng([seed, length, int(hard)])
        columns = task.canvas(length)
        at_once = check_columns(columns, cell_bytes, f"--bits={length}")
        if hard:
            source, target = task.hard(rng, length, examples)
        else:
            source, target = task.generate(rng, columns, examples)
        size = task.size(source)
        inside = np.arange(source.shape[1]) < size[:, None]
        right = np.zeros(0, int)
        start = said = time.monotonic()
        for done in range(0, examples, at_once):
            part = slice(done, done + at_once)
            same = np.asarray(solve(source[part], size[part])) == target[part]
            right = np.append(right, (same & inside[part]).sum(axis=1))
            now = time.monotonic()
            if now - said >= _SAYS_EVERY and len(right) < examples:
                said = now
                left = round((now - start) * (examples / len(right) - 1))
                logging.info(
                    "%d of %d examples of length %d, %d of them exactly right, "
                    "%d:%02d left",
                    *(len(right), examples, length),
                    *(np.sum(right == size[: len(right)]), *divmod(left, 60)),
                )
        by_carry = []
        if hard and isinstance(task, Addition):
            by_carry = _by_carry(task, source, right == size)
        scores.append(
            LengthScore(
                bits=length,
                columns=columns,
                examples=examples,
                exact=float(np.mean(right == size)),
                symbols=float(right.sum() / size.sum()),
                by_carry=by_carry,
            )
        )
    return scores


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
