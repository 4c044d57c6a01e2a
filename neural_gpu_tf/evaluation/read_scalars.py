"""The curves that TensorBoard shows of a run, as numbers."""

import os
from pathlib import Path
from typing import NamedTuple

import tensorflow as tf


class Scalar(NamedTuple):
    """One point of a curve."""

    kind: str  # "train" or "validation": the directory of the event file
    name: str
    step: int
    value: float


def read_scalars(directory: str | os.PathLike[str]) -> list[Scalar]:
    """Reads the scalars of event files, `directory`/KIND/events.out.tfevents.*.

    Where a run was stopped and went on from a checkpoint, some steps stand in two
    files; those of the later file count. An event that is still being written, at the
    end of a file, is left out.

    Args:
        directory: a run's event directory; it may be missing.

    Returns:
        By kind, name and step; nothing if there are no event files.
    """
    from tensorboard.backend.event_processing import event_file_loader

    values = {}
    for path in sorted(Path(directory).glob("*/events.out.tfevents.*")):
        for event in event_file_loader.EventFileLoader(str(path)).Load():
            for value in event.summary.value:
                if value.metadata.plugin_data.plugin_name == "scalars":
                    number = tf.make_ndarray(value.tensor).item()
                    name = value.tag.rpartition("/")[2]  # without its section
                    values[path.parent.name, name, event.step] = number
    return [Scalar(*key, values[key]) for key in sorted(values)]
