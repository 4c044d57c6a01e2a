"""A translator loaded from an export."""

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import tensorflow as tf

from neural_gpu_tf.errors import InputError, reason
from neural_gpu_tf.files import check_path
from neural_gpu_tf.serving.metadata import read_metadata
from neural_gpu_tf.serving.translator_signatures import NO_SCORE


class ExportedTranslator:
    """Translates through the signatures of a SavedModel, as a server would.

    More texts than the export takes in a request are translated in several.

    Args:
        directory: one version of an export, e.g. "runs/demo/export/1".

    Raises:
        InputError: it is no export, or one of a model of a task.
    """

    def __init__(self, directory: str | os.PathLike[str]):
        if not Path(directory, "saved_model.pb").exists():
            raise InputError(
                f"{directory}: no saved_model.pb in it; name a version of an export, "
                "e.g. --export_dir=runs/demo/export/1"
            )
        check_path(directory)
        self._most = _texts_at_once(Path(directory))
        try:
            self._loaded = tf.saved_model.load(os.fspath(directory))
            self._signatures = dict(self._loaded.signatures)
            self._translate = self._signatures["serving_default"]
            self._too_long = self._signatures["too_long"]
        # An IndexError is of variables that were cut off.
        except (LookupError, OSError, ValueError, tf.errors.OpError) as error:
            why = reason(error)
            raise InputError(
                f"{directory}: not an export of neural-gpu-export ({why}); export again"
            ) from error

    def translate(self, text: tf.Tensor) -> dict[str, tf.Tensor]:
        """As `Translator.translate`, of texts [batch]."""
        found = self._in_parts(self._translate, text)
        score = found.get("n_best_score")
        if score is not None:
            found["n_best_score"] = tf.where(score > NO_SCORE, score, -np.inf)
        return found

    def too_long(self, text: tf.Tensor) -> tf.Tensor:
        """As `Translator.too_long`."""
        return self._in_parts(self._too_long, text)["too_long"]

    def _in_parts(
        self, signature: Callable[..., dict[str, tf.Tensor]], text: tf.Tensor
    ) -> dict[str, tf.Tensor]:
        """The outputs of a signature for any number of texts."""
        count = len(text)
        most = self._most or count
        if count <= most:
            return signature(text=text)
        parts = [signature(text=text[i : i + most]) for i in range(0, count, most)]
        return {name: tf.concat([x[name] for x in parts], 0) for name in parts[0]}


def _texts_at_once(directory: Path) -> int | None:
    """How many texts, however long, are within the limits; None: of none it knows.

    Raises:
        InputError: it translates none.
    """
    about = read_metadata(directory)
    if not about:
        return None
    if "task" in about:
        raise InputError(f"{directory}: contains a model of a task, not a translator")
    limits, longest = about["limits"], about["longest_source_columns"]
    return min(limits["max_texts"], limits["max_request_columns"] // longest)
