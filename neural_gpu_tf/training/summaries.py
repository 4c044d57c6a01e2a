"""What TensorBoard shows of a run."""

import json
import math
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import tensorflow as tf
from absl import logging

from neural_gpu_tf.errors import reason

_GROUPS = {
    "loss": "loss",
    "perplexity_symbol": "loss",
    "gradient_norm": "optimizer",
    "learning_rate": "optimizer",
    "symbols_per_second": "speed",
}
"""TensorBoard's section of a scalar; others are a validation's quality, or a place."""

_OPTIONS = ""  # no folder of their own


class Summaries:
    """Event files: the options' in events/ itself, others in a directory per kind.

    The kinds are events/train, events/validation and, where weights are selected after
    training, events/selection.

    TensorBoard's HPARAMS page shows the scalars of what stands under the options.

    Tags are SECTION/NAME. The first two have loss/loss, nats a symbol, so that
    TensorBoard shows training and validation on one chart: the validation's is the
    logarithm of its perplexity, without label smoothing and auxiliary losses.

    Args:
        directory: the run's event directory; None: nothing is written.
    """

    def __init__(self, directory: str | os.PathLike[str] | None):
        self.directory = directory
        self._writers: dict[str, tf.summary.SummaryWriter] = {}

    def scalars(self, kind: str, step: int, values: Mapping[str, float]) -> None:
        """Writes scalars of "train", "validation" or "selection"."""
        if kind == "validation" and "perplexity_symbol" in values:
            values = {"loss": math.log(values["perplexity_symbol"]), **values}
        others = "place" if kind == "train" else "quality"

        def write() -> None:
            for name, value in values.items():
                tf.summary.scalar(f"{_GROUPS.get(name, others)}/{name}", value)

        self._write(kind, step, write)

    def report(self, kind: str, step: int, values: Mapping[str, float]) -> None:
        """Writes scalars, as `scalars` does, and a line of them in the log."""
        self.scalars(kind, step, values)
        line = "  ".join(f"{name} {value:.4g}" for name, value in values.items())
        logging.info("step %d  %s  %s", step, kind, line)

    def translations(self, step: int, rows: Sequence[tuple[str, str, str]]) -> None:
        """Writes a table of source, translation and reference.

        Args:
            step: steps done.
            rows: (source, translation, reference) of each sentence.
        """
        table = ["| source | translation | reference |", "| --- | --- | --- |"]
        table += ["| " + " | ".join(_cell(text) for text in row) + " |" for row in rows]
        text = "\n".join(table)
        self._write("validation", step, lambda: tf.summary.text("translations", text))

    def picture(self, name: str, step: int, pixels: np.ndarray) -> None:
        """Writes a picture of the validation, uint8 [height, width, 3]."""
        self._write("validation", step, lambda: tf.summary.image(name, pixels[None]))

    def graph(self, graph: tf.Graph) -> None:
        """Writes the graph of the training step."""
        self._write("train", 0, lambda: tf.summary.graph(graph.as_graph_def()))

    def hyperparameters(self, values: Mapping[str, Any]) -> None:
        """Writes the options, for TensorBoard's HPARAMS page and as a text."""
        from tensorboard.plugins.hparams import api

        flat = {
            name: value
            for concern in values.values()
            if isinstance(concern, dict)
            for name, value in concern.items()
        }
        text = f"```\n{json.dumps(values, indent=2)}\n```"

        def write() -> None:
            api.hparams(flat)
            tf.summary.text("configuration", text)

        self._write(_OPTIONS, 0, write)

    def _write(self, kind: str, step: int, write: Callable[[], object]) -> None:
        """Has events written to the disk; from the first that can't be on, none.

        A full disk is to end training at a checkpoint, which says what to do.
        """
        if self.directory is None:
            return
        try:
            if kind not in self._writers:
                path = os.path.join(self.directory, kind)
                self._writers[kind] = tf.summary.create_file_writer(path)
            with self._writers[kind].as_default(step):  # flushes at its end
                write()
        except (tf.errors.OpError, OSError) as error:
            why = "%s: no events can be written (%s); training goes on without them"
            logging.warning(why, self.directory, reason(error))
            self.directory = None


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ") or " "
