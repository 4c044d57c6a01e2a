"""Parsing of number tasks' questions in core TensorFlow ops."""

import functools
import itertools
import re

import numpy as np
import tensorflow as tf

from neural_gpu_tf.constants import PAD
from neural_gpu_tf.inference.question_text import QuestionText, characters
from neural_gpu_tf.tasks import NumberTask

_ZERO = 1  # the symbol of the digit 0
_BEFORE_ZERO = ord("0") - _ZERO


class NumberText(QuestionText[NumberTask]):
    """Texts of a `NumberTask`, of any base and layout: "1011 + 110"."""

    def is_question(self, text: tf.Tensor) -> tf.Tensor:
        number = rf"\s*[{'0123456789'[: self.task.base]}]+\s*"
        sign = f"[{re.escape(self.task.operator)}{self.task.signs}]"
        others = rf"({sign}{number}){{{self.task.operands - 1}}}"
        return tf.strings.regex_full_match(text, number + others)

    def symbols(self, text: tf.Tensor) -> tf.Tensor:
        task = self.task
        numbers = tf.strings.regex_replace(text, "[^0-9]", " ")
        if task.layout == "bare":
            numbers = tf.strings.regex_replace(numbers, r"\b0+([0-9])", r"\1")
        pieces = tf.strings.split(numbers).flat_values  # [batch · operands]
        lengths = tf.strings.length(pieces)
        digits = tf.reverse_sequence(characters(pieces), lengths, seq_axis=1)
        # The shorter operand is filled with zeros.
        digits = tf.maximum(digits - _BEFORE_ZERO, _ZERO)
        shape = [tf.shape(text)[0], task.operands]
        digits = tf.reshape(digits, [*shape, tf.shape(digits)[1]])
        widths = tf.reshape(lengths, shape)
        if task.layout == "aligned" or (task.layout != "bare" and task.balanced):
            widths = tf.repeat(tf.reduce_max(widths, 1, True), task.operands, 1)
        if task.layout == "aligned":
            return self._pairs(digits, widths[:, 0])
        return self._row(digits, widths)

    def _row(self, digits: tf.Tensor, widths: tf.Tensor) -> tf.Tensor:
        """Operands behind one another, the operator between them.

        Args:
            digits: digit symbols [batch, operands, l], least significant first; they
                are written in the task's order.
            widths: digits of each operand, [batch, operands].
        """
        cells = self.task.cells * widths
        start = tf.cumsum(cells + 1, axis=1, exclusive=True)
        columns = tf.reduce_max(tf.concat([start[:, -1] + cells[:, -1], [0]], 0))
        column = tf.range(columns)[None, None, :] - start[:, :, None]
        last = tf.maximum(tf.shape(digits)[2] - 1, 0)
        cell = column // self.task.cells
        if self.task.layout == "reversed":
            cell = widths[:, :, None] - 1 - cell
        cell = tf.clip_by_value(cell, 0, last)
        row = self._spelled(tf.gather(digits, cell, batch_dims=2), column)
        row = tf.where((column >= 0) & (column < cells[:, :, None]), row, PAD)
        operator = column == cells[:, :, None]
        behind = tf.range(self.task.operands)[None, :, None] < self.task.operands - 1
        return tf.reduce_sum(tf.where(operator & behind, self.task.separator, row), 1)

    def _spelled(self, digit: tf.Tensor, column: tf.Tensor) -> tf.Tensor:
        """The symbol that stands in a column of an operand for its digit."""
        cells = self.task.cells
        table = np.frombuffer(
            self.task.spell(bytes(range(_ZERO, _ZERO + 10))), np.uint8
        )
        place = (digit - _ZERO) * cells + column % cells
        return tf.gather(table.astype(np.int32), place)

    def _pairs(self, digits: tf.Tensor, width: tf.Tensor) -> tf.Tensor:
        """Two operands above one another, then the operator: a symbol a pair."""
        pair = (digits[:, 0] - _ZERO) * self.task.base + digits[:, 1] - _ZERO
        first = self.task.symbols.index("00")
        column = tf.range(tf.shape(pair)[1] + 1)[None, :]
        row = tf.where(
            column < width[:, None], tf.pad(first + pair, [[0, 0], [0, 1]]), PAD
        )
        return tf.where(column == width[:, None], self.task.separator, row)

    def write(self, target: tf.Tensor) -> tf.Tensor:
        task, cells = self.task, self.task.cells
        filled = tf.cast(target != PAD, tf.int32) * (tf.range(tf.shape(target)[1]) + 1)
        columns = tf.reduce_max(tf.pad(filled, [[0, 0], [0, 1]]), 1)
        rest = -tf.shape(target)[1] % cells
        groups = tf.reshape(
            tf.pad(target, [[0, 0], [0, rest]]),
            [tf.shape(target)[0], (tf.shape(target)[1] + rest) // cells, cells],
        )
        index = tf.reduce_sum(groups * task.vocabulary_size ** np.arange(cells), axis=2)
        inside = tf.range(tf.shape(index)[1])[None, :] * cells < columns[:, None]
        names = tf.where(inside, tf.gather(self._names, index), "")
        text = tf.strings.reduce_join(tf.reverse(names, [1]), axis=1)
        text = tf.strings.regex_replace(text, "^0+", "")
        return tf.where(
            columns == 0, task.symbols[PAD], tf.where(text == "", "0", text)
        )

    @functools.cached_property
    def _names(self) -> list[str]:
        """The digit that each group of `cells` symbols spells, the first fastest."""
        symbols = range(self.task.vocabulary_size)
        groups = itertools.product(symbols, repeat=self.task.cells)
        rows = (bytes(reversed(group)) for group in groups)
        return [self.task.digit_names(self.task.unspell(row))[::-1] for row in rows]
