"""Translators and solvers whose decoder is in a file of another format."""

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf

from neural_gpu_tf.constants import PAD
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.serving.formats import Call, find_format, format_of
from neural_gpu_tf.text import SpellOutTokenizer, Vocabulary

VOCABULARY = "vocab.txt"
DESCRIPTION = "export.json"


class ExportedDecoder:
    """Translates texts with the tokenizer of the package and a decoder in a file.

    Args:
        directory: one version of an export by `export_decoder`.

    Raises:
        InputError: it is no such export, or the format's library is not installed.
    """

    def __init__(self, directory: str | os.PathLike[str]):
        self._decode, about = _load(Path(directory))
        try:
            self._longest = about["decoding"]["max_source_length"]
        except KeyError as error:
            raise InputError(
                f"{directory}: holds a model of a task, no translator"
            ) from error
        vocabulary = Vocabulary.load(Path(directory, VOCABULARY))
        self._tokenizer = SpellOutTokenizer(vocabulary)

    def translate(self, text: tf.Tensor) -> dict[str, tf.Tensor]:
        """As `Translator.translate`, of texts [batch], one after the other."""
        sources = self._tokenizer.tokenize(text)[:, : self._longest]
        answers = [self._one(source.numpy()) for source in sources]
        symbols = tf.ragged.constant(
            [x["symbols"][0] for x in answers], ragged_rank=1, dtype=tf.int32
        )
        return {
            "text": self._tokenizer.detokenize(symbols),
            "log_probability": _joined(answers, "log_probability", np.float32),
            "size": _joined(answers, "size", np.int32),
        }

    def too_long(self, text: tf.Tensor) -> tf.Tensor:
        """As `Translator.too_long`."""
        return self._tokenizer.tokenize(text).row_lengths() > self._longest

    def _one(self, source: np.ndarray) -> dict[str, np.ndarray]:
        """The answer to symbols [n]; an empty source is one PAD of length 0."""
        row = source if len(source) else np.array([PAD], np.int32)
        length = np.array([len(source)], np.int32)
        return self._decode(source=row[None], length=length)


class ExportedSolver:
    """Answers questions given as symbols with a model in a file; as a `Solver`.

        solve_text(ExportedSolver("adder/1"), TASKS["badd"], "1 + 1").answer

    Args:
        directory: one version of an export by `export_task_decoder`.

    Raises:
        InputError: it is no such export, or the format's library is not installed.
    """

    def __init__(self, directory: str | os.PathLike[str]):
        self._solve, about = _load(Path(directory))
        if "task" not in about:
            raise InputError(f"{directory}: holds a translator, no model of a task")
        self.task: str = about["task"]

    def __call__(self, source: tf.Tensor, size: tf.Tensor) -> tf.Tensor:
        """The likeliest symbols: [batch, n], [batch] → int32 [batch, n]."""
        pairs = zip(np.asarray(source), np.asarray(size), strict=True)
        rows = [self._solve(source=x[None], size=n[None])["symbols"] for x, n in pairs]
        return tf.constant(np.concatenate(rows))


def _load(directory: Path) -> tuple[Call, dict[str, Any]]:
    """The function in an export's file, and the export's description."""
    name = format_of(directory)
    if name is None:
        raise InputError(
            f"{directory}: no file of another format in it; name a version of an "
            "export, e.g. RUN/onnx/1"
        )
    kind = find_format(name)
    try:
        about = json.loads((directory / DESCRIPTION).read_text("utf-8"))
        return kind.load(directory / kind.file), about
    except (OSError, ValueError) as error:
        raise InputError(
            f"{directory}: not an export of neural-gpu-export ({error}); export again"
        ) from error


def _joined(answers: list[dict[str, np.ndarray]], name: str, kind: Any) -> tf.Tensor:
    return tf.constant(np.concatenate([np.zeros(0, kind), *[x[name] for x in answers]]))
