"""The curves that TensorBoard shows of a run, as numbers."""

import os
from pathlib import Path
from typing import Any, NamedTuple

import tensorflow as tf


class Scalar(NamedTuple):
    """One point of a curve."""

    kind: str  # "train" or "validation": the directory of the event file
    name: str
    step: int
    value: float


def read_scalars(directory: str | os.PathLike[str]) -> list[Scalar]:
    """Reads the scalars of event files, `directory`/KIND/events.out.tfevents.*.

    Where a run was stopped and went on from a checkpoint, what it had written of later
    steps does not count. An event that is still being written, at the end of a file,
    is left out.

    Args:
        directory: a run's event directory; it may be missing.

    Returns:
        By kind, name and step; nothing if there are no event files.
    """
    from tensorboard.backend.event_processing import event_file_loader

    values: dict[tuple[str, str, int], float] = {}
    for path in sorted(Path(directory).glob("*/events.out.tfevents.*")):
        kind = path.parent.name
        for event in event_file_loader.EventFileLoader(str(path)).Load():
            if event.session_log.status == event.session_log.START:
                values = {
                    key: value
                    for key, value in values.items()
                    if key[0] != kind or key[2] < event.step
                }
            for value in event.summary.value:
                number = _number(value)
                if number is not None:
                    name = value.tag.rpartition("/")[2]  # without its section
                    values[kind, name, event.step] = number
    return [Scalar(*key, values[key]) for key in sorted(values)]


def _number(value: Any) -> float | None:
    """The number of a value of an event; None if it is no scalar, or damaged."""
    tensor = value.tensor
    if (
        value.metadata.plugin_data.plugin_name != "scalars"
        or tensor.dtype
        not in (tf.float32.as_datatype_enum, tf.float64.as_datatype_enum)
        or any(dim.size != 1 for dim in tensor.tensor_shape.dim)
    ):
        return None
    try:
        return float(tf.make_ndarray(tensor).item())
    except ValueError:  # more values than its shape has
        return None
