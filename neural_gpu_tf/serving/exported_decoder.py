"""Translators and solvers whose decoder is in a file of another format."""

import dataclasses
import os
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf

from neural_gpu_tf.configuration import check_choice
from neural_gpu_tf.constants import PAD
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.files import read_json
from neural_gpu_tf.inference.translator import TEXTS
from neural_gpu_tf.serving.formats import Call, find_format, format_of
from neural_gpu_tf.tasks import TASKS, Task
from neural_gpu_tf.text import SpellOutTokenizer, Vocabulary

VOCABULARY = "vocab.txt"
DESCRIPTION = "export.json"
_SYMBOLS = tf.TensorSpec([None, None], tf.int32)


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
                f"{directory}: contains a model of a task, not a translator"
            ) from error
        vocabulary = Vocabulary.load(Path(directory, VOCABULARY))
        self._tokenizer = SpellOutTokenizer(vocabulary)

    def translate(self, text: tf.Tensor) -> dict[str, tf.Tensor]:
        """As `Translator.translate`, of texts [batch], one after the other."""
        symbols, length = (x.numpy() for x in self._read(text))
        pairs = zip(symbols, np.minimum(length, self._longest), strict=True)
        answers = [self._one(source[:count]) for source, count in pairs]
        said = [x["symbols"][0] for x in answers]
        rows = np.full([len(said), max(map(len, said), default=0)], PAD, np.int32)
        for row, one in zip(rows, said, strict=True):
            row[: len(one)] = one
        return {
            "text": self._write(rows),
            "log_probability": _joined(answers, "log_probability", np.float32),
            "size": _joined(answers, "size", np.int32),
        }

    def too_long(self, text: tf.Tensor) -> tf.Tensor:
        """As `Translator.too_long`."""
        return self._read(text)[1] > self._longest

    @tf.function(input_signature=[TEXTS], autograph=False)
    def _read(self, text: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """All symbols, int32 [batch, n], and how many they are."""
        symbols = self._tokenizer.tokenize(text)
        return symbols.to_tensor(), tf.cast(symbols.row_lengths(), tf.int32)

    @tf.function(input_signature=[_SYMBOLS], autograph=False)
    def _write(self, symbols: tf.Tensor) -> tf.Tensor:
        return self._tokenizer.detokenize(symbols)

    def _one(self, source: np.ndarray) -> dict[str, np.ndarray]:
        """The answer to symbols [n]; an empty source is one PAD of length 0."""
        row = source if len(source) else np.array([PAD], np.int32)
        length = np.array([len(source)], np.int32)
        return self._decode(source=row[None], length=length)


class ExportedSolver:
    """Answers questions given as symbols with a model in a file; as a `Solver`.

        solver = ExportedSolver("adder/1")
        solve_text(solver, solver.task, "1 + 1").answer

    Args:
        directory: one version of an export by `export_task_decoder`.

    Raises:
        InputError: it is no such export, or the format's library is not installed.
    """

    def __init__(self, directory: str | os.PathLike[str]):
        self._solve, about = _load(Path(directory))
        if "task" not in about:
            raise InputError(f"{directory}: contains a translator, not a task's model")
        self._task, self._blank = about["task"], about.get("blank_columns", 0.0)

    @property
    def task(self) -> Task:
        """What it answers questions of, with canvases as wide as it expects.

        Raises:
            InputError: a task of your own whose module was not imported.
        """
        check_choice("task", self._task, tuple(TASKS))
        return dataclasses.replace(TASKS[self._task], blank_columns=self._blank)

    def __call__(self, source: tf.Tensor, size: tf.Tensor) -> tf.Tensor:
        """The likeliest symbols: [batch, n], [batch] → int32 [batch, n]."""
        pairs = zip(np.asarray(source), np.asarray(size), strict=True)
        rows = [self._solve(source=x[None], size=n[None])["symbols"] for x, n in pairs]
        return tf.constant(np.concatenate([np.zeros_like(source[:0]), *rows]))


def _load(directory: Path) -> tuple[Call, dict[str, Any]]:
    """The function in an export's file, and the export's description."""
    name = format_of(directory)
    if name is None:
        raise InputError(
            f"{directory}: contains no ONNX or LiteRT file; name a version of an "
            "export, e.g. RUN/onnx/1"
        )
    kind = find_format(name)
    try:
        about = read_json(directory / DESCRIPTION)
        return kind.load(directory / kind.file), about
    except (OSError, ValueError) as error:
        raise InputError(
            f"{directory}: not an export of neural-gpu-export ({error}); export again"
        ) from error


def _joined(answers: list[dict[str, np.ndarray]], name: str, kind: Any) -> tf.Tensor:
    return tf.constant(np.concatenate([np.zeros(0, kind), *[x[name] for x in answers]]))
