"""SavedModels that answer a task's questions, for TensorFlow Serving."""

import os
from pathlib import Path

import numpy as np
import tensorflow as tf

from neural_gpu_tf.constants import MAX_COLUMNS
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.inference import Solver, TextSolver, solve_text
from neural_gpu_tf.models import cell_bytes
from neural_gpu_tf.options import ServingConfig
from neural_gpu_tf.runs import TaskRun
from neural_gpu_tf.serving.limits import legal_texts
from neural_gpu_tf.serving.metadata import write_metadata
from neural_gpu_tf.serving.saved_model import (
    answer_in_session,
    write_endpoints,
    write_version,
)
from neural_gpu_tf.serving.solver_signatures import SolverSignatures
from neural_gpu_tf.serving.warmup import write_warmup

_SAMPLE_COLUMNS = 24


def export_solver(
    run: TaskRun,
    directory: str | os.PathLike[str],
    version: int | None = None,
    max_columns: int = MAX_COLUMNS,
    limits: ServingConfig | None = None,
) -> Path:
    """Writes `directory`/`version`/, all of it or nothing.

    The SavedModel holds weights, reading and writing of the task's texts, all in core
    TensorFlow ops. It has one signature by two names, that of `SolverSignatures`:

        solve, serving_default   text string [batch] → text string [batch],
                                 steps int32 [batch], valid bool [batch]

    Before it appears it is loaded in a session and compared with `solve_text` on
    questions of up to 24 columns.

    Args:
        run: from `load_task_run`.
        directory: the folder that a server watches; made if it isn't there.
        version: a positive number; the one after the highest there, from 1, if None.
        max_columns: columns of the widest canvas, which bounds the work for a question;
            longer ones get no answer. 1,024 take sums of two numbers of 511 digits.
        limits: of a request; those of `ServingConfig` if None.

    Returns:
        The folder that was written.

    Raises:
        InputError: the version is there already, `directory` can't be written,
            `TextSolver` refuses, or one question may be beyond the limits.
        RuntimeError: what was written does not answer as `solve_text` does.
    """
    column_bytes = cell_bytes(run.config.model)
    solver = TextSolver(run.model, run.task, max_columns, column_bytes)
    legal = limits or ServingConfig()
    if max_columns > legal.max_request_columns:
        raise InputError(
            f"max_request_columns={legal.max_request_columns}: one question may take "
            f"max_columns={max_columns}; raise it, or lower max_columns"
        )
    if max_columns**2 > legal.max_request_steps:
        raise InputError(
            f"max_request_steps={legal.max_request_steps}: one question of "
            f"max_columns={max_columns} may take {max_columns**2}; raise it, or lower "
            "max_columns"
        )
    endpoints = SolverSignatures(solver, legal).endpoints()
    about = {"task": run.task.name, "max_columns": max_columns}

    def write(path: Path) -> None:
        write_endpoints(path, [], endpoints)
        write_metadata(path, endpoints, legal, about)
        questions = legal_texts(_questions(run, max_columns), legal)
        asked = [(name, {"text": [x]}) for name in endpoints for x in questions]
        write_warmup(path, asked)
        _check(run, path, questions)

    return write_version(directory, version, write)


def _questions(run: TaskRun, max_columns: int) -> list[str]:
    """One that is none, and some of the task."""
    random, task = np.random.default_rng(0), run.task
    longest = max(min(_SAMPLE_COLUMNS, max_columns), task.minimum_length)
    lengths = np.linspace(task.minimum_length, longest, 5, dtype=int)
    return ["\0", *(task.format(task.generate(random, n, 1)[0][0]) for n in lengths)]


def _check(run: TaskRun, path: Path, questions: list[str]) -> None:
    """Raises RuntimeError unless the export answers, in a session, as Python does."""
    solver = Solver(run.model)
    expected = [solve_text(solver, run.task, x).answer for x in questions[1:]]
    answer = answer_in_session(path, questions)
    texts = [tf.compat.as_str(text) for text in answer["text"]]
    if texts != ["", *expected]:
        raise RuntimeError(
            f"{path}: the export answers {texts} to {questions}, the model {expected}"
        )
