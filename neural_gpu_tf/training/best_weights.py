"""The best validated weights of a run."""

import math
from pathlib import Path
from typing import NamedTuple

import keras

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.files import read_json, write_json
from neural_gpu_tf.weights import save_weights


class Validated(NamedTuple):
    """Weights that were validated."""

    value: float  # the lower, the better
    step: int
    path: Path


def _ranked(found: list[Validated]) -> list[Validated]:
    """The best first; of equal ones the last, which was trained longest."""
    return sorted(found, key=lambda one: (one.value, -one.step))


class BestWeights:
    """The N best validated weights of a run, in a directory of their own.

        STEP.weights.h5      the weights after so many steps
        values.json          by step, what they were judged by

    The content depends on the validations only, so an interrupted and resumed run keeps
    the same weights as an uninterrupted one.

    Args:
        path: the directory; made when there is something to keep.
        keep: N; 0 keeps none.

    Raises:
        InputError: the directory is a link, which may lead to another run's files.
    """

    def __init__(self, path: Path, keep: int):
        if path.is_symlink():
            raise InputError(f"{path}: a link; replace it by the folder it leads to")
        self.path = path
        self.keep = keep
        self._values = path / "values.json"

    def offer(self, model: keras.Model, step: int, value: float) -> None:
        """Keeps the model's weights if they are among the N best; of equals the last.

        Args:
            model: holds the weights.
            step: after which they were validated.
            value: what they are judged by, the lower, the better; what is no finite
                number is not kept.
        """
        new = Validated(value, step, self._file(step))
        ranked = [one for one in self.best() if one.step != step]
        ranked = _ranked([*ranked, *[new] * math.isfinite(value)])
        kept = ranked[: self.keep]
        if new in kept:
            self.path.mkdir(exist_ok=True)
            save_weights(model, new.path)
        if self.path.exists():
            values = {str(one.step): one.value for one in kept}
            write_json(self._values, values)
        self._remove_all_but(kept)

    def forget(self) -> None:
        """Keeps none of those offered so far."""
        self._values.unlink(missing_ok=True)
        self._remove_all_but([])

    def best(self) -> list[Validated]:
        """What is kept, the best first.

        Raises:
            InputError: values.json is damaged.
        """
        if not self._values.exists():
            return []
        try:
            values = read_json(self._values)
            found = [
                Validated(float(value), int(step), self._file(int(step)))
                for step, value in values.items()
            ]
        except (ValueError, TypeError, AttributeError) as error:
            raise InputError(
                f"{self._values}: damaged ({error}); remove {self.path}"
            ) from error
        return _ranked([one for one in found if one.path.exists()])

    def _remove_all_but(self, kept: list[Validated]) -> None:
        """Removes other weights, also those that a kill left when they were dropped."""
        paths = {one.path for one in kept}
        for path in self.path.glob("*.weights.h5"):
            if path not in paths:
                path.unlink(missing_ok=True)

    def _file(self, step: int) -> Path:
        return self.path / f"{step}.weights.h5"
