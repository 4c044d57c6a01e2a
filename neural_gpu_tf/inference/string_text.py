"""Parsing of string tasks' questions in core TensorFlow ops."""

import re

import tensorflow as tf

from neural_gpu_tf.inference.question_text import QuestionText
from neural_gpu_tf.tasks import StringTask


class StringText(QuestionText[StringTask]):
    """Texts of a `StringTask`: "(1+(-2))"."""

    def is_question(self, text: tf.Tensor) -> tf.Tensor:
        task, text = self.task, self.squeezed(text)
        known = "|".join(map(re.escape, task.alphabet))
        *whole, last = task.patterns or (".*",)
        valid = tf.strings.length(text, "UTF8_CHAR") >= task.shortest
        for pattern in (f"({known})*", *whole):
            valid &= tf.strings.regex_full_match(text, pattern)
        if task.inner[0]:
            text = self._reduced(tf.where(valid, text, ""))
        return valid & tf.strings.regex_full_match(text, last)

    def _reduced(self, text: tf.Tensor) -> tf.Tensor:
        """Texts in which nothing matches `inner` any more."""

        def replace(text: tf.Tensor, _: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
            new = tf.strings.regex_replace(text, *self.task.inner)
            return new, tf.reduce_any(new != text)

        return tf.while_loop(lambda _, more: more, replace, (text, tf.constant(True)))[
            0
        ]

    def symbols(self, text: tf.Tensor) -> tf.Tensor:
        return self.spelled(text)
