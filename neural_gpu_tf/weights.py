"""Files of weights: saved whole, checked when loaded."""

from pathlib import Path

import keras

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.files import replacing


def load_weights(model: keras.Model, path: Path) -> None:
    """Loads weights.

    Raises:
        InputError: there is no file, or it is damaged or of another model.
    """
    if not path.exists():
        raise InputError(
            f"{path}: missing; training writes it at its first validation, so let it "
            "run on until then"
        )
    try:
        model.load_weights(path)
    except (ValueError, OSError, KeyError) as error:
        reason = str(error).splitlines()[0]
        raise InputError(
            f"{path}: these weights do not fit the model of config.json ({reason}); "
            "restore the file or train anew"
        ) from error


def save_weights(model: keras.Model, path: Path) -> None:
    """Saves weights; readers see the old file or the new one, never a part."""
    with replacing(path) as beside:
        model.save_weights(beside)
