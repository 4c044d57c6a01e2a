"""Writing a SavedModel for TensorFlow Serving."""

import contextlib
import logging
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import keras
import numpy as np
import tensorflow as tf

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.inference.translator import TEXTS, Translator

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

    It is written beside, under a hidden name that servers pass over, loaded in a
    session, compared with `translator` on a few texts, and renamed.

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
    directory = Path(directory)
    if version is None:
        version = 1 + max(_versions(directory), default=0)
    final = directory / str(version)
    if final.exists():
        raise InputError(
            f"{final}: this version is there already; choose another version or "
            "--export_dir"
        )
    beside = directory / f".{version}.{os.getpid()}.tmp"
    try:
        beside.mkdir(parents=True)
        with _quiet(tf.get_logger()):
            _write(translator, beside)
            _check(translator, beside)
        beside.rename(final)
    except OSError as error:
        raise InputError(
            f"{final}: can't write it: {error.strerror}; choose another --export_dir"
        ) from error
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    return final


def _versions(directory: Path) -> list[int]:
    if not directory.is_dir():
        return []
    return [int(entry.name) for entry in directory.iterdir() if entry.name.isdecimal()]


@contextlib.contextmanager
def _quiet(logger: logging.Logger) -> Iterator[None]:
    """Within it only errors are logged; loading in a session is called deprecated."""
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)


def _write(translator: Translator, path: Path) -> None:
    archive = keras.export.ExportArchive()
    archive.track(translator.model)
    archive.track(translator.tokenizer)  # its table
    if translator.size_predictor:
        archive.track(translator.size_predictor.readout)
    endpoints = {
        "serving_default": translator.translate_batch,
        "too_long": lambda text: {"too_long": translator.too_long(text)},
    }
    for name, function in endpoints.items():
        archive.add_endpoint(name, function, input_signature=[TEXTS])
    archive.write_out(path, verbose=False)


def _check(translator: Translator, path: Path) -> None:
    """Raises RuntimeError unless the export answers, in a session, as it should."""
    expected = translator.translate(tf.constant(_SAMPLES))
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        loaded = tf.compat.v1.saved_model.load(session, ["serve"], os.fspath(path))
        signature = loaded.signature_def["serving_default"]
        outputs = {name: info.name for name, info in signature.outputs.items()}
        answer = session.run(outputs, {signature.inputs["text"].name: _SAMPLES})
    same = expected.keys() == answer.keys() and all(
        np.array_equal(answer[name], expected[name].numpy())
        for name in ("text", "size")
    )
    if not same or not np.allclose(
        answer["log_probability"], expected["log_probability"], rtol=1e-3, atol=1e-3
    ):
        raise RuntimeError(f"{path}: the export answers {answer}, the model {expected}")
