"""Files of weights: saved whole, checked when loaded."""

import contextlib
import errno
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import h5py
import keras
import numpy as np

from neural_gpu_tf.errors import InputError, reason
from neural_gpu_tf.files import replacing

_RENAMED = {
    "residual_encoder": "active_memory_encoder",
    "residual_decoder": "active_memory_decoder",
}
"""Names of layers in older files, and those that they have now."""

_RENAMED_PARTS = {"forward": "forward_rnns", "backward": "backward_rnns"}
"""The same of what a layer has."""

_LARGEST = 1e15
"""Weights beyond it have diverged: what they are multiplied with is soon no number."""


def load_weights(model: keras.Model, path: Path) -> None:
    """Loads weights.

    Raises:
        InputError: there is no file, it is damaged or of another model, or a weight is
        no finite number.
    """
    check_written(path)
    try:
        _check_own(path)
        with _renamed(path) as file:
            _check_count(model, file)
            model.load_weights(file)
    except (ValueError, OSError, KeyError, RuntimeError, TypeError) as error:
        raise InputError(
            f"{path}: these weights do not fit the model of config.json "
            f"({reason(error)}); restore the file or train again"
        ) from error
    if fault := diverged(model):
        raise InputError(
            f"{path}: {fault}; use other weights of the run, or train again"
        )


def check_written(path: Path) -> None:
    """Raises InputError if there is no such file of weights."""
    if not path.exists():
        raise InputError(
            f"{path}: missing; training writes it at its first validation, so train "
            "until then (a model of the package has its best weights alone)"
        )


def diverged(model: keras.Model) -> str:
    """The first weight that is not finite, or as good as infinite; "" if none is."""
    for variable in model.weights:
        value = np.asarray(variable.numpy(), np.float32)
        largest = np.max(np.abs(value), initial=0.0)
        if not largest <= _LARGEST:
            return f"the weight {variable.path} has a value of {largest:.3g} in size"
    return ""


def save_weights(model: keras.Model, path: Path) -> None:
    """Saves weights; readers see the old file or the new one, never a part.

    Raises:
        InputError: there is no room, or the folder can't be written to.
    """
    with replacing(path) as beside:
        # HDF5 ends the process where a disk fills up under it.
        needed = sum(variable.numpy().nbytes for variable in model.weights) + 2**20
        disk = shutil.disk_usage(path.parent)
        if disk.total and disk.free < needed:  # 0: a file system that does not tell
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        model.save_weights(beside)


def _check_own(path: Path) -> None:
    """Raises ValueError if the file has links, or layers that are no groups.

    HDF5 follows links to other files, to write too.
    """

    def elsewhere(name: str, item: h5py.Group | h5py.Dataset) -> str | None:
        if isinstance(item, h5py.Dataset):
            return name if item.external or item.is_virtual else None
        return None if isinstance(item, h5py.Group | h5py.HardLink) else name

    with h5py.File(path) as file:
        name = file.visititems_links(elsewhere) or file.visititems(elsewhere)
        if name:
            raise ValueError(f"{name} is a link, or in another file")
        layers = file.get("layers", {})
        parts = [layers, *layers.values()] if isinstance(layers, Mapping) else [layers]
        if not all(isinstance(part, Mapping) for part in parts):
            raise ValueError("layers are no groups")


def _check_count(model: keras.Model, path: Path) -> None:
    """Raises ValueError if the file has more weights than the model, or fewer.

    Keras reads what the model has, and leaves the rest of a larger model's file. What
    some of its versions keep of a seed is no weight.
    """
    found = []

    def visit(name: str, item: h5py.Group | h5py.Dataset) -> None:
        if isinstance(item, h5py.Dataset) and "seed_generator" not in name:
            found.append(name)

    with h5py.File(path) as file:
        file.visititems(visit)  # those of a model that is no graph are not in layers
    if len(found) != len(model.weights):
        raise ValueError(f"{len(found)} weights, not {len(model.weights)}")


@contextlib.contextmanager
def _renamed(path: Path) -> Iterator[Path]:
    """The file, or a copy of it in which layers have the names of today."""
    with h5py.File(path) as file:
        layers = file.get("layers", {})
        moves = {name: new for name, new in _RENAMED.items() if name in layers}
        for name, layer in layers.items():
            for part, new in _RENAMED_PARTS.items():
                if part in layer:
                    moves[f"{name}/{part}"] = f"{name}/{new}"
    if not moves:
        yield path
        return
    with tempfile.TemporaryDirectory() as directory:
        copy = Path(directory, path.name)
        copy.write_bytes(path.read_bytes())
        with h5py.File(copy, "r+") as file:
            for name, new in moves.items():
                file.move(f"layers/{name}", f"layers/{new}")
        yield copy
