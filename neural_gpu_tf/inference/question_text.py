"""Base of the parsers of questions and printers of answers, in core TensorFlow ops."""

import abc
import re
from typing import Generic, NamedTuple, TypeVar

import numpy as np
import tensorflow as tf

from neural_gpu_tf.constants import PAD
from neural_gpu_tf.tasks import Task

T = TypeVar("T", bound=Task)


class Questions(NamedTuple):
    """Parsed questions."""

    source: tf.Tensor  # int32 [batch, n], PAD behind each
    size: tf.Tensor  # int32 [batch], the columns of each canvas; 0 for no question
    valid: tf.Tensor  # bool [batch], whether it is a question that has room


class QuestionText(abc.ABC, Generic[T]):
    """Parses questions and prints answers as `Task.parse` and `Task.format_target` do.

    Both agree on every text, but for white space: here it is that of ASCII alone.

    Args:
        task: the task.
        most_columns: columns of the widest canvas; a question that needs more of them
            is not valid, nor is one of more characters (white space not counted).
    """

    def __init__(self, task: T, most_columns: int):
        self.task = task
        self.most_columns = most_columns
        shortest, _ = task.generate(np.random.default_rng(0), task.minimum_length, 1)
        self._example = "".join(task.format(shortest[0]).split())

    @abc.abstractmethod
    def is_question(self, text: tf.Tensor) -> tf.Tensor:
        """Whether `Task.read` takes each text: string [batch] → bool [batch]."""

    @abc.abstractmethod
    def symbols(self, text: tf.Tensor) -> tf.Tensor:
        """Questions without white space to symbols, int32 [batch, l], PAD behind."""

    def size(self, source: tf.Tensor) -> tf.Tensor:
        """The columns of each canvas, from how many symbols are not PAD: int32."""
        filled = tf.math.count_nonzero(source, axis=1, dtype=tf.int32)
        rows = (np.ones(count, np.uint8) for count in range(self.most_columns + 1))
        sizes = np.array([self.task.size(row) for row in rows], np.int32)
        return tf.gather(sizes, tf.minimum(filled, self.most_columns))

    def read(self, text: tf.Tensor) -> Questions:
        """Texts to canvases; no question of the batch has a bearing on another.

        Args:
            text: string [batch], of any content.
        """
        short = tf.strings.length(self.squeezed(text), "UTF8_CHAR") <= self.most_columns
        valid = short & self.is_question(text)
        # Any question stands in for what is none, and is dropped again.
        source = self.symbols(tf.where(valid, self.squeezed(text), self._example))
        filled = tf.math.count_nonzero(source, axis=1, dtype=tf.int32)
        size = self.size(source)
        valid &= (filled <= self.most_columns) & (size <= self.most_columns)
        size = tf.where(valid, size, 0)
        columns = tf.reduce_max(tf.concat([size, [1]], 0))
        source = tf.where(valid[:, None], source, PAD)[:, :columns]
        missing = columns - tf.shape(source)[1]
        return Questions(tf.pad(source, [[0, 0], [0, missing]]), size, valid)

    def write(self, target: tf.Tensor) -> tf.Tensor:
        """Answers, int32 [batch, n], to string [batch]."""
        names = tf.constant(self.task.symbols)
        text = tf.strings.reduce_join(tf.gather(names, target), axis=1)
        blank = re.escape(self.task.symbols[PAD])
        text = tf.strings.regex_replace(text, f"^({blank})+|({blank})+$", "")
        return tf.where(text == "", self.task.symbols[PAD], text)

    def with_blank(self, columns: tf.Tensor) -> tf.Tensor:
        """As `Task.with_blank`: int32 [batch] → int32 [batch]."""
        blank = self.task.blank_columns * tf.cast(columns, tf.float64)
        return columns + tf.cast(tf.math.ceil(tf.round(blank * 1e6) / 1e6), tf.int32)

    def spelled(self, text: tf.Tensor) -> tf.Tensor:
        """A symbol a character: string [batch] → int32 [batch, l], PAD behind."""
        codes = [ord(name) for name in self.task.symbols if len(name) == 1]
        table = np.full(max(codes, default=0) + 1, PAD, np.int32)
        for symbol, name in enumerate(self.task.symbols):
            if symbol != PAD and len(name) == 1 and not table[ord(name)]:
                table[ord(name)] = symbol
        return tf.gather(table, tf.minimum(characters(text), len(table) - 1))

    @staticmethod
    def squeezed(text: tf.Tensor) -> tf.Tensor:
        """Texts without white space."""
        return tf.strings.regex_replace(text, r"\s+", "")


def characters(text: tf.Tensor) -> tf.Tensor:
    """Texts [batch] to codes, int32 [batch, l], 0 behind them."""
    return tf.strings.unicode_decode(text, "UTF-8").to_tensor(0)
