"""SavedModels that translate, for TensorFlow Serving."""

import os
from pathlib import Path

import numpy as np
import tensorflow as tf

from neural_gpu_tf.inference.translator import TEXTS, Translator
from neural_gpu_tf.serving.saved_model import (
    answer_in_session,
    write_endpoints,
    write_version,
)

_SAMPLES = ("", "two", "Two thousand, three hundred and forty-five.")


def export(
    translator: Translator,
    directory: str | os.PathLike[str],
    version: int | None = None,
) -> Path:
    """Writes `directory`/`version`/, all of it or nothing.

    The SavedModel holds weights, vocabulary and decoding, all in core TensorFlow ops,
    so that a stock server loads it. Its signatures are those of `Translator`:

        serving_default   text string [batch] → text string [batch],
                          log_probability float32 [batch], size int32 [batch]
        too_long          text string [batch] → too_long bool [batch]

    Before it appears it is loaded in a session and compared with `translator` on a few
    texts.

    Args:
        translator: what to export.
        directory: the folder that a server watches; made if it isn't there.
        version: a positive number; the one after the highest there, from 1, if None.

    Returns:
        The folder that was written.

    Raises:
        InputError: the version is there already, or `directory` can't be written.
        RuntimeError: what was written does not answer as `translator` does.
    """

    def write(path: Path) -> None:
        _write(translator, path)
        _check(translator, path)

    return write_version(directory, version, write)


def _write(translator: Translator, path: Path) -> None:
    tracked = [translator.model, translator.tokenizer]  # the tokenizer has a table
    if translator.size_predictor:
        tracked.append(translator.size_predictor.readout)
    endpoints = {
        "serving_default": translator.translate_batch,
        "too_long": lambda text: {"too_long": translator.too_long(text)},
    }
    write_endpoints(path, tracked, endpoints, TEXTS)


def _check(translator: Translator, path: Path) -> None:
    """Raises RuntimeError unless the export answers, in a session, as it should."""
    expected = translator.translate(tf.constant(_SAMPLES))
    answer = answer_in_session(path, _SAMPLES)
    same = expected.keys() == answer.keys() and all(
        np.array_equal(answer[name], expected[name].numpy())
        for name in ("text", "size")
    )
    if not same or not np.allclose(
        answer["log_probability"], expected["log_probability"], rtol=1e-3, atol=1e-3
    ):
        raise RuntimeError(f"{path}: the export answers {answer}, the model {expected}")
