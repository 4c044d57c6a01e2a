"""A translator loaded from an export."""

import os
from pathlib import Path

import tensorflow as tf

from neural_gpu_tf.errors import InputError


class ExportedTranslator:
    """Translates through the signatures of a SavedModel, as a server would.

    Args:
        directory: one version of an export, e.g. "runs/demo/export/1".

    Raises:
        InputError: it is no export.
    """

    def __init__(self, directory: str | os.PathLike[str]):
        if not Path(directory, "saved_model.pb").exists():
            raise InputError(
                f"{directory}: no saved_model.pb in it; name a version of an export, "
                "e.g. --export_dir=runs/demo/export/1"
            )
        try:
            self._loaded = tf.saved_model.load(os.fspath(directory))
            self._signatures = dict(self._loaded.signatures)
            self._translate = self._signatures["serving_default"]
            self._too_long = self._signatures["too_long"]
        except (KeyError, OSError, ValueError, tf.errors.OpError) as error:
            reason = str(error).partition("\n")[0]
            raise InputError(
                f"{directory}: not an export of neural-gpu-export ({reason}); export "
                "again"
            ) from error

    def translate(self, text: tf.Tensor) -> dict[str, tf.Tensor]:
        """As `Translator.translate`."""
        return self._translate(text=text)

    def too_long(self, text: tf.Tensor) -> tf.Tensor:
        """As `Translator.too_long`."""
        return self._too_long(text=text)["too_long"]
