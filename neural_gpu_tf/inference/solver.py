"""Solver of algorithmic tasks, from symbols to symbols."""

import keras
import tensorflow as tf

from neural_gpu_tf.decoding import all_symbols
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.inference.traced import traced

CANVAS_BYTES = 1 << 28
"""Most memory of one tensor of the loop; the whole process needs about ten."""
CACHE_BYTES = 1 << 24
"""Most memory of such a tensor of several examples: larger ones leave the processor's
cache, and were measured to take 1.25 times as long an example."""


class Solver:
    """Answers questions given as symbols with a model; see `all_symbols`.

    Args:
        model: any of the package's.
    """

    def __init__(self, model: keras.Model):
        self.model = model

    @traced(tf.TensorSpec([None, None], tf.int32), tf.TensorSpec([None], tf.int32))
    def __call__(self, source: tf.Tensor, size: tf.Tensor) -> tf.Tensor:
        """The likeliest symbols: [batch, n], [batch] → int32 [batch, n]."""
        return all_symbols(self.model, source, size)


def cache_columns(cell_bytes: int) -> int:
    """How many columns of canvases the cache holds; see `CACHE_BYTES`.

    Args:
        cell_bytes: bytes of one column of one canvas (w·m·4).
    """
    return max(CACHE_BYTES // max(3 * cell_bytes, 1), 1)


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
            f"{where}: {columns} columns of {cell_bytes} bytes exceed the memory "
            f"limit; use at most {CANVAS_BYTES // (3 * cell_bytes)} columns"
        )
    return max(cache_columns(cell_bytes) // max(columns, 1), 1)
