"""The versions of an export, as a server holds them."""

import contextlib
import ctypes
import dataclasses
import gc
import os
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf
from absl import logging

from neural_gpu_tf.errors import InputError, reason
from neural_gpu_tf.files import check_path
from neural_gpu_tf.serving.formats import format_of
from neural_gpu_tf.serving.saved_model import version_numbers
from neural_gpu_tf.serving.warmup import read_warmup


@dataclasses.dataclass(frozen=True)
class ServedVersion:
    """A SavedModel in memory.

    Attributes:
        number: its version.
        signatures: functions by the names of their signatures.
        loaded: what keeps their variables alive.
    """

    number: int
    signatures: Mapping[str, Any]
    loaded: Any = dataclasses.field(repr=False)

    def inputs(self, signature: str) -> dict[str, tf.TensorSpec]:
        """The inputs of a signature by name."""
        return dict(self.signatures[signature].structured_input_signature[1])

    def outputs(self, signature: str) -> dict[str, tf.TensorSpec]:
        """The outputs of a signature by name."""
        return dict(self.signatures[signature].structured_outputs)

    def predict(
        self, signature: str, inputs: Mapping[str, np.ndarray]
    ) -> dict[str, np.ndarray]:
        """The outputs by name.

        Raises:
            tf.errors.OpError, ValueError, TypeError: the inputs don't fit it.
        """
        specs = self.inputs(signature)
        tensors = {k: tf.constant(x, specs[k].dtype) for k, x in inputs.items()}
        found = self.signatures[signature](**tensors)
        return {name: value.numpy() for name, value in found.items()}


def load_version(path: Path) -> ServedVersion:
    """Loads a version and lets it answer its own requests, so that it is warm."""
    check_path(path)
    loaded = tf.saved_model.load(os.fspath(path))
    version = ServedVersion(int(path.name), dict(loaded.signatures), loaded)
    for signature, inputs in read_warmup(path):
        version.predict(signature, inputs)
    return version


class ModelVersions:
    """The newest versions of a folder; a new one is loaded before an old one goes.

    Requests that have a version already end on it, whatever is served by then. One that
    can't be loaded is passed over, in favour of the one before it, until its files
    change. One whose files change is loaded anew.

    Args:
        directory: the folder, with a SavedModel a version in folders 1, 2, …
        keep: how many versions are served at a time.

    Raises:
        InputError: there is no version that can be served.
    """

    def __init__(self, directory: str | os.PathLike[str], keep: int = 1):
        self.directory = Path(directory)
        self.keep = keep
        self._served: dict[int, ServedVersion] = {}
        self._faults: dict[int, str] = {}
        self._tried: dict[int, object] = {}  # their files, as they were then
        self._lock = threading.Lock()
        self.refresh()
        if not self._served:
            faults = "; ".join(self._faults.values())
            held = {format_of(self.directory / str(n)) for n in self._faults} - {None}
            if held:
                raise InputError(
                    f"{directory}: holds {held.pop()}; only a SavedModel is served, "
                    "which neural-gpu-export writes without --format"
                )
            raise InputError(
                f"{directory}: nothing to serve ({faults or 'no version is in it'}); "
                "name the folder that neural-gpu-export wrote, not one of its versions"
            )

    def refresh(self) -> bool:
        """Loads what is new, then lets go of older ones; whether anything changed."""
        with self._lock:
            before = {n: id(version) for n, version in self._served.items()}
            there = version_numbers(self.directory)
            self._faults = {n: x for n, x in self._faults.items() if n in there}
            self._tried = {n: x for n, x in self._tried.items() if n in there}
            good: list[int] = []
            for number in sorted(there, reverse=True):
                self._load(number)
                if number in self._served:
                    good.append(number)
                if len(good) == self.keep:
                    break
            if good:  # where the folder is emptied the last ones go on
                self._served = {n: self._served[n] for n in good}
            after = {n: id(version) for n, version in self._served.items()}
            if before.items() - after.items():
                _free_memory()
            return after != before

    def _load(self, number: int) -> None:
        """Loads a version, unless its files are as they were at the last try."""
        path = self.directory / str(number)
        state = _state(path)
        is_known = number in self._served or number in self._faults
        if is_known and self._tried.get(number) == state:
            return
        self._tried[number] = state
        try:
            version = load_version(path)
        except Exception as error:  # files cut off make TensorFlow raise of any kind
            message = f"version {number} can't be loaded: {reason(error)}"
            logging.error("%s", message)
            self._faults = {**self._faults, number: message}
            return
        self._served = {**self._served, number: version}
        self._faults = {n: x for n, x in self._faults.items() if n != number}
        logging.info("serving version %d", number)

    def get(self, number: int | None = None) -> ServedVersion:
        """A version; the newest if no number is given. KeyError: it is not served."""
        served = self._served
        return served[max(served) if number is None else number]

    def states(self) -> Sequence[tuple[int, str, str]]:
        """(version, state, what is wrong) of all, the newest first."""
        states = [(number, "AVAILABLE", "") for number in self._served]
        states += [(number, "END", message) for number, message in self._faults.items()]
        return sorted(states, reverse=True)


def _state(path: Path) -> object:
    """Tells whether a version's files have changed."""
    found = []
    for file in sorted(path.rglob("*")):
        with contextlib.suppress(OSError):  # it is gone again
            about = file.stat()
            found.append((file, about.st_size, about.st_mtime_ns))
    return found


def _free_memory() -> None:
    """Gives the system back what a version that is let go has held."""
    gc.collect()  # its graphs hold one another
    with contextlib.suppress(AttributeError, OSError):  # only glibc has it
        ctypes.CDLL(None).malloc_trim(0)
