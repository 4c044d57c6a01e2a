"""Trained models that answer, by the name of a run."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal, overload

import keras
import numpy as np
import tensorflow as tf
from absl import logging

from neural_gpu_tf import text
from neural_gpu_tf.configuration import check_keys
from neural_gpu_tf.constants import MAX_COLUMNS
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.inference import (
    Solver,
    Translation,
    solve_text,
    solve_texts,
    translate_all,
)
from neural_gpu_tf.inference.as_texts import as_texts
from neural_gpu_tf.models import cell_bytes
from neural_gpu_tf.options import ServingConfig
from neural_gpu_tf.own_modules import import_own
from neural_gpu_tf.pretrained_models import run_or_pretrained
from neural_gpu_tf.runs import (
    Run,
    RunConfig,
    RunDirectory,
    TaskRun,
    load_run,
    load_task_run,
    run_translator,
)
from neural_gpu_tf.serving import export, export_solver
from neural_gpu_tf.tasks import Task

PretrainedSolver = Literal[
    "add",
    "badd",
    "binary-addition",
    "binary-multiplication",
    "bmul",
    "bsort",
    "bucket-sort",
    "cycle-navigation",
    "dup",
    "duplicate-string",
    "even-pairs",
    "missing-duplicate",
    "modular-arithmetic",
    "modular-brackets",
    "odds-first",
    "parity-check",
    "qadd",
    "qmul",
    "rev",
    "reverse-string",
    "solve-equation",
    "sort",
    "stack-manipulation",
]
"""The models of the package that solve a task, for type checkers."""


class TrainedTranslator:
    """A trained translation model with its tokenizer.

    Args:
        run: from `load_run` or `load_runs`.
        decoding: options of `DecodingConfig` that differ from the run's.
    """

    def __init__(self, run: Run, decoding: dict[str, Any] | None = None):
        self.run = run
        self.translator = run_translator(run, decoding)

    @property
    def model(self) -> keras.Model:
        return self.run.model

    @property
    def tokenizer(self) -> "text.SpellOutTokenizer":
        return self.run.tokenizer

    @property
    def config(self) -> RunConfig:
        return self.run.config

    @overload
    def translate(self, text: str | bytes) -> str: ...

    @overload
    def translate(self, text: Iterable[str | bytes]) -> list[str]: ...

    @overload
    def translate(self, text: Any) -> Any: ...

    def translate(self, text: Any) -> str | list[str]:
        """Translates one text, or several together; the order is kept.

        Args:
            text: a string, or strings: a sequence, an array or a tensor of them. The
                end of one of more than `max_source_length` symbols (60 if not set
                otherwise) is not translated, with a warning.

        Returns:
            The best translation; for the others of a beam see `n_best`.

        Raises:
            InputError: one of them is no text.
        """
        texts, one = as_texts(text)
        outputs = [answer.text for answer in self._answers(texts)]
        return outputs[0] if one else outputs

    @overload
    def n_best(self, text: str | bytes) -> list[tuple[float, str]]: ...

    @overload
    def n_best(self, text: Iterable[str | bytes]) -> list[list[tuple[float, str]]]: ...

    @overload
    def n_best(self, text: Any) -> Any: ...

    def n_best(self, text: Any) -> list[Any]:
        """The `n_best` best translations of a text, or of each of several.

            load("runs/mine", beam=5, n_best=3).n_best("A dog.")

        Args:
            text: as for `translate`.

        Returns:
            Of a text: pairs of a score (see `decoding.beam_search`) and a translation,
            best first; of several a list of such lists.

        Raises:
            InputError: `n_best` is 1, or as `translate`.
        """
        if self.translator.config.n_best == 1:
            raise InputError("n_best=1: give load more, and a beam at least as wide")
        texts, one = as_texts(text)
        outputs = [
            [pair for pair in answer.n_best if pair[0] > -np.inf]
            for answer in self._answers(texts)
        ]
        return outputs[0] if one else outputs

    def _answers(self, texts: list[bytes]) -> list[Translation]:
        if texts and (cut := int(np.sum(self.translator.too_long(tf.constant(texts))))):
            most = self.translator.config.max_source_length
            logging.warning(
                "the end of %d of %d texts was not translated, as they are longer than "
                "max_source_length=%d symbols; load with more",
                *(cut, len(texts), most),
            )
        return translate_all(self.translator.translate, texts)

    def export(
        self,
        directory: str | os.PathLike[str],
        version: int | None = None,
        limits: ServingConfig | None = None,
    ) -> Path:
        """Writes a SavedModel for TensorFlow Serving; see `serving.export`."""
        return export(self.translator, directory, version, limits)


class TrainedSolver:
    """A model trained on an algorithmic task.

    Args:
        run: from `load_task_run`.
    """

    def __init__(self, run: TaskRun):
        self.run = run
        self.solver = Solver(run.model)

    @property
    def model(self) -> keras.Model:
        return self.run.model

    @property
    def task(self) -> Task:
        return self.run.task

    @property
    def config(self) -> RunConfig:
        return self.run.config

    @overload
    def solve(self, question: str | bytes) -> str: ...

    @overload
    def solve(self, question: Iterable[str | bytes]) -> list[str]: ...

    @overload
    def solve(self, question: Any) -> Any: ...

    def solve(self, question: Any) -> str | list[str]:
        """The model's answer, right or wrong, as text; several together.

        Args:
            question: as the task writes it, "1011 + 110" for example, or several: a
                sequence, an array or a tensor of them.

        Returns:
            The answer, or a list of them in the order of the questions.

        Raises:
            InputError: one is no question of the task, or too long for the memory.
        """
        texts, one = as_texts(question, "question")
        questions = [text.decode(errors="replace") for text in texts]
        column_bytes = cell_bytes(self.config.model)
        args = self.solver, self.task
        if one:
            return solve_text(*args, questions[0], column_bytes).answer
        found = solve_texts(*args, questions, column_bytes)
        return [solution.answer for solution in found]

    def export(
        self,
        directory: str | os.PathLike[str],
        version: int | None = None,
        max_columns: int = MAX_COLUMNS,
        limits: ServingConfig | None = None,
    ) -> Path:
        """Writes a SavedModel for TensorFlow Serving; see `serving.export_solver`."""
        return export_solver(self.run, directory, version, max_columns, limits)


@overload
def load(
    run: Literal["enfr"], which: str = ..., imports: str = ..., **decoding: Any
) -> TrainedTranslator: ...


@overload
def load(
    run: PretrainedSolver, which: str = ..., imports: str = ..., **decoding: Any
) -> TrainedSolver: ...


@overload
def load(
    run: str | os.PathLike[str], which: str = ..., imports: str = ..., **decoding: Any
) -> Any: ...


def load(
    run: str | os.PathLike[str],
    which: str = "best",
    imports: str = "",
    **decoding: Any,
) -> Any:
    """Loads a trained model.

        load("runs/mine", beam=4).translate("A dog.")  → "Un chien."

    Args:
        run: a run directory, or the name of a model that comes with the package
            (a directory of that name comes first).
        which: "best" or "last" weights.
        imports: your own modules or .py files that the run needs, with commas between.
        decoding: options of `DecodingConfig`, for a translation model.

    Returns:
        A `TrainedTranslator`, or a `TrainedSolver` if it was trained on a task.

    Raises:
        InputError: there is no such run, it is damaged, or an option is not known.

    Example:
        >>> load("badd").solve("1011 + 110")
        '10001'
    """
    for name, value, kinds in (
        ("run", run, (str, os.PathLike)),
        ("imports", imports, (str,)),
    ):
        if not isinstance(value, kinds):
            raise InputError(f"{name}={value!r}: must be a string")
    import_own(imports)
    path = run_or_pretrained(run)
    if RunDirectory(path).read_config().task.task:
        check_keys(f"{run}: decoding of a task's model", decoding, ())
        return TrainedSolver(load_task_run(path, which))
    return TrainedTranslator(load_run(path, which), decoding)
