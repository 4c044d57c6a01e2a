"""What TensorBoard shows of a run."""

import json
import math
import os
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
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
    "epoch": "place",
    "bits": "place",
    "right_at_bits": "place",
    "dropout": "place",
    "pull": "place",
}
"""TensorBoard's section of a scalar; others are a validation's quality."""

_EVENT_FILES = "events.out.tfevents.*"
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
        self.resumed = 0
        """The step from which this start goes on; what is later is void."""
        self._writers: dict[str, tf.summary.SummaryWriter] = {}

    def scalars(self, kind: str, step: int, values: Mapping[str, float]) -> None:
        """Writes scalars of "train", "validation" or "selection"."""
        if kind == "validation" and "perplexity_symbol" in values:
            values = {"loss": math.log(values["perplexity_symbol"]), **values}

        def write() -> None:
            for name, value in values.items():
                tf.summary.scalar(f"{_GROUPS.get(name, 'quality')}/{name}", value)

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
        step = self.resumed + 1  # a lower one would make the curve void
        self._write("train", step, lambda: tf.summary.graph(graph.as_graph_def()))

    def hyperparameters(self, values: Mapping[str, Any]) -> None:
        """Writes the options, for TensorBoard's HPARAMS page and as a text.

        They replace those of earlier starts, of which TensorBoard would show the first.
        """
        from tensorboard.plugins.hparams import api

        if self.directory is None:
            return
        directory = Path(self.directory).absolute()
        older = [*directory.glob(_EVENT_FILES)]
        flat = {
            name: value
            for concern in values.values()
            if isinstance(concern, dict)
            for name, value in concern.items()
        }
        text = f"```\n{json.dumps(values, indent=2)}\n```"

        seeds = [value for name, value in flat.items() if name.endswith("seed")]
        # Without a name of its own a run would be one with those of equal options.
        trial = " ".join(map(str, [directory, *seeds]))

        def write() -> None:
            for path in older:
                path.unlink(missing_ok=True)
            api.hparams(flat, trial_id=trial)
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
                _begin(self._writers[kind], min(step, self.resumed + 1))
            with self._writers[kind].as_default(step):  # flushes at its end
                write()
        except (tf.errors.OpError, OSError) as error:
            why = "%s: no events can be written (%s); training goes on without them"
            logging.warning(why, self.directory, reason(error))
            self.directory = None


def _begin(writer: tf.summary.SummaryWriter, step: int) -> None:
    """Writes that a start begins: earlier events of this step and later are void."""
    event = tf.compat.v1.Event(
        step=step,
        wall_time=time.time(),
        session_log=tf.compat.v1.SessionLog(status=tf.compat.v1.SessionLog.START),
    )
    tf.raw_ops.ImportEvent(writer=writer._resource, event=event.SerializeToString())


def _cell(text: str) -> str:
    """A text that Markdown shows as it is, in a line."""
    shown = "".join(
        x if x.isalnum() or x in " .,;:!?'" else f"&#{ord(x)};"
        for x in " ".join(text.split())
    )
    return shown or " "
