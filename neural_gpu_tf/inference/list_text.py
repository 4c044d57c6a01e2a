"""Parsing of list tasks' questions in core TensorFlow ops."""

import tensorflow as tf

from neural_gpu_tf.inference.question_text import QuestionText
from neural_gpu_tf.tasks import Increment, ListTask, RepeatCopy
from neural_gpu_tf.tasks.list_task import NAMES


class ListText(QuestionText[ListTask]):
    """Texts of a `ListTask`: "3 a 1" or "3a1"."""

    def is_question(self, text: tf.Tensor) -> tf.Tensor:
        task = self.task
        most = max(task.word, task.group)
        number = rf"(.*\s)?[0-9]{{{most + 1},}}(\s.*)?"
        several = tf.strings.regex_full_match(text, r"(?s)\s*\S+\s+\S.*")
        count = tf.strings.length(self.squeezed(text))
        return (
            tf.strings.regex_full_match(text, rf"[\s{NAMES[: task.values]}]*")
            & ~(several & tf.strings.regex_full_match(text, f"(?s){number}"))
            & (count > 0)
            & (count % task.group == 0)
        )

    def symbols(self, text: tf.Tensor) -> tf.Tensor:
        return self.spelled(text)

    def write(self, target: tf.Tensor) -> tf.Tensor:
        text = super().write(target)
        if self.task.group == 1:
            return text
        pieces = tf.strings.regex_replace(text, f"({'.' * self.task.group})", r"\1 ")
        return tf.strings.strip(pieces)


class SearchText(ListText):
    """Texts of `Search`: "b3 a1 b"."""

    def is_question(self, text: tf.Tensor) -> tf.Tensor:
        count = tf.strings.length(self.squeezed(text))
        return super().is_question(text) & (count >= 3) & (count % 2 == 1)


class NtmCopyText(ListText):
    """Texts of `NtmCopy`: "3a1", with a "#" at the end or without."""

    def is_question(self, text: tf.Tensor) -> tf.Tensor:
        return super().is_question(tf.strings.regex_replace(text, r"#\s*$", ""))

    def symbols(self, text: tf.Tensor) -> tf.Tensor:
        return self.spelled(tf.strings.regex_replace(text, "#?$", "#", False))


class RepeatCopyText(ListText):
    """Texts of `RepeatCopy`: "3a1#2"."""

    task: RepeatCopy

    def is_question(self, text: tf.Tensor) -> tf.Tensor:
        return super().is_question(
            tf.strings.regex_replace(text, r"(?s)#.*", "")
        ) & tf.strings.regex_full_match(text, r"[^#]*#\s*0*[1-9][0-9]{0,3}\s*")

    def symbols(self, text: tf.Tensor) -> tf.Tensor:
        # The count's least significant digit comes first.
        count, backwards = "#0*(.)(.?)(.?)(.?)$", r"#\4\3\2\1"
        return self.spelled(tf.strings.regex_replace(text, count, backwards))

    def size(self, source: tf.Tensor) -> tf.Tensor:
        """k (r + 1) + 2 and the digits of r, for k symbols and a count of r."""
        filled = tf.math.count_nonzero(source, axis=1, dtype=tf.int32)
        mark = tf.argmax(source == self.task.delimiter, axis=1, output_type=tf.int32)
        place = tf.range(tf.shape(source)[1])[None, :] - mark[:, None] - 1
        digit = (place >= 0) & (place < (filled - mark - 1)[:, None])
        values = tf.where(digit, (source - 1) * 10 ** tf.maximum(place, 0), 0)
        return self.with_blank(mark * tf.reduce_sum(values, 1) + filled + 1)


class IncrementText(QuestionText[Increment]):
    """Texts of `Increment`: "1299"."""

    def is_question(self, text: tf.Tensor) -> tf.Tensor:
        digits = "".join(self.task.symbols[1:])
        return tf.strings.regex_full_match(text, rf"\s*[{digits}]+\s*")

    def symbols(self, text: tf.Tensor) -> tf.Tensor:
        symbols = self.spelled(text)
        return tf.reverse_sequence(symbols, tf.strings.length(text), seq_axis=1)

    def write(self, target: tf.Tensor) -> tf.Tensor:
        return super().write(tf.reverse(target, [1]))
