"""The versions of an export, as a server holds them."""

import dataclasses
import os
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf
from absl import logging

from neural_gpu_tf.errors import InputError, reason
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
    loaded = tf.saved_model.load(os.fspath(path))
    version = ServedVersion(int(path.name), dict(loaded.signatures), loaded)
    for signature, inputs in read_warmup(path):
        version.predict(signature, inputs)
    return version


class ModelVersions:
    """The newest versions of a folder; a new one is loaded before an old one goes.

    Requests that have a version already end on it, whatever is served by then.

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
        self._lock = threading.Lock()
        self.refresh()
        if not self._served:
            faults = "; ".join(self._faults.values()) or "no version is in it"
            raise InputError(
                f"{directory}: nothing to serve ({faults}); name the folder that "
                "neural-gpu-export wrote, not one of its versions"
            )

    def refresh(self) -> bool:
        """Loads what is new, then lets go of older ones; whether anything changed."""
        with self._lock:
            before = set(self._served)
            there = version_numbers(self.directory)
            for number in sorted(there, reverse=True)[: self.keep]:
                if number not in self._served and number not in self._faults:
                    self._load(number)
            good = sorted((n for n in self._served if n in there), reverse=True)
            if good:  # where the folder is emptied the last ones go on
                self._served = {n: self._served[n] for n in good[: self.keep]}
            return set(self._served) != before

    def _load(self, number: int) -> None:
        try:
            version = load_version(self.directory / str(number))
        except (OSError, ValueError, KeyError, InputError, tf.errors.OpError) as error:
            why = reason(error)
            self._faults[number] = f"version {number} can't be loaded: {why}"
            logging.error("%s", self._faults[number])
            return
        self._served = {**self._served, number: version}
        logging.info("serving version %d", number)

    def get(self, number: int | None = None) -> ServedVersion:
        """A version; the newest if no number is given. KeyError: it is not served."""
        served = self._served
        return served[max(served) if number is None else number]

    def states(self) -> Sequence[tuple[int, str, str]]:
        """(version, state, what is wrong) of all, the newest first."""
        states = [(number, "AVAILABLE", "") for number in self._served]
        states += [(number, "END", fault) for number, fault in self._faults.items()]
        return sorted(states, reverse=True)
