"""Solver of algorithmic tasks, from text to text in one graph."""

import keras
import tensorflow as tf

from neural_gpu_tf.constants import PAD
from neural_gpu_tf.decoding import all_symbols
from neural_gpu_tf.decoding.packs import in_packs
from neural_gpu_tf.inference.solver import cache_columns, check_columns
from neural_gpu_tf.inference.task_text import task_text
from neural_gpu_tf.inference.traced import traced
from neural_gpu_tf.tasks import Task

QUESTIONS = tf.TensorSpec([None], tf.string, name="text")


class TextSolver:
    """Answers questions in text with a model; what is served.

    All is in core TensorFlow ops, traced once: text → symbols → `all_symbols` → text.
    It answers as `solve_text` does, questions of similar widths together, so that a
    long one does not slow short ones that come with it.

    Args:
        model: any of the package's, trained on the task.
        task: how questions and answers are written.
        max_columns: columns of the widest canvas; longer questions get no answer.
        cell_bytes: bytes of one column of one canvas (w·m·4), to bound memory by.

    Raises:
        InputError: the width is beyond the memory limit or has room for no question,
            or the task's texts can't be read in a graph; see `task_text`.
    """

    def __init__(
        self, model: keras.Model, task: Task, max_columns: int, cell_bytes: int = 0
    ):
        self.text = task_text(task, max_columns)
        check_columns(max_columns, cell_bytes, f"max_columns={max_columns}")
        self.model = model
        self._cells = cache_columns(cell_bytes)

    @traced(QUESTIONS)
    def solve(self, text: tf.Tensor) -> dict[str, tf.Tensor]:
        """Answers questions, string [batch]; this is what is exported.

        Returns:
            text, string [batch], the answers; steps, int32 [batch], n, the columns of
            each canvas, which the memory takes as many steps on; valid, bool [batch],
            whether it is a question of the task that has room (if not, text is "" and
            steps 0).
        """
        batch = tf.shape(text)[0]
        # TensorFlow's Split gives wrong shapes for no examples at all.
        text = tf.concat([text, tf.fill([tf.cast(batch == 0, tf.int32)], "")], 0)
        source, size, valid = self.text.read(text)
        symbols = self._symbols(source, size)
        answer = tf.where(valid, self.text.write(symbols), "")
        outputs = {"text": answer, "steps": size, "valid": valid}
        return {name: values[:batch] for name, values in outputs.items()}

    def _symbols(self, source: tf.Tensor, size: tf.Tensor) -> tf.Tensor:
        """The answers to symbols [batch, n], as many; PAD where the size is 0."""
        columns = tf.shape(source)[1]

        def work(which: tf.Tensor, size: tf.Tensor, widest: tf.Tensor) -> tuple:
            some = tf.gather(source, which)[:, :widest]
            found = all_symbols(self.model, some, size)
            right = [[0, 0], [0, columns - widest]]
            return (tf.pad(found, right, constant_values=PAD),)

        nothing = tf.fill(tf.shape(source), PAD)
        return in_packs(work, size, self._cells, [nothing], similar=True)[0]
