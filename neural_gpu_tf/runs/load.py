"""Trained models with all that belongs to them."""

import dataclasses
import os
from pathlib import Path
from typing import NamedTuple

import keras

from neural_gpu_tf import text
from neural_gpu_tf.data import Source, open_source
from neural_gpu_tf.data.tfds_pairs import has_own_code
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.models import build_model
from neural_gpu_tf.runs.config import RunConfig
from neural_gpu_tf.runs.run_directory import RunDirectory
from neural_gpu_tf.tasks import Task
from neural_gpu_tf.text import Vocabulary
from neural_gpu_tf.weights import load_weights


class Run(NamedTuple):
    """A trained model with all that belongs to it."""

    path: Path
    config: RunConfig
    vocabulary: Vocabulary
    tokenizer: "text.SpellOutTokenizer"
    model: keras.Model


class TaskRun(NamedTuple):
    """A model trained on an algorithmic task."""

    path: Path
    config: RunConfig
    task: Task
    model: keras.Model


def load_run(path: str | os.PathLike[str], which: str = "best") -> Run:
    """Loads a run for evaluation, translation or export.

    Its configuration is that of config.json, but for the options of decoding.json.

    Args:
        path: the run directory.
        which: "best" or "last" weights.

    Raises:
        InputError: something is missing, damaged or does not match.
    """
    directory = RunDirectory(path)
    config = directory.read_config()
    if config.task.task:
        raise InputError(
            f"{path}: a run of the task {config.task.task}, not of translation; use "
            "neural-gpu-solve, or neural-gpu-evaluate --bits"
        )
    vocabulary = directory.read_vocabulary(config)
    config = dataclasses.replace(config, decoding=directory.read_decoding(config))
    model = _load_model(directory, config, len(vocabulary), which)
    return Run(
        directory.path, config, vocabulary, text.SpellOutTokenizer(vocabulary), model
    )


def own_source(run: Run, split: str) -> Source:
    """The data of a run's own: those that its config.json names.

    Raises:
        InputError: they are missing or wrong, or not what the run was made with.
    """
    data = run.config.data
    if data.data == "tfds" and not has_own_code(data.tfds_name):
        raise InputError(
            f"{run.path}: its data, {data.tfds_name}, are no set whose code TFDS has; "
            "name files instead: --source and --target"
        )
    try:
        source = open_source(data, [split])
    except InputError as error:
        raise InputError(
            f"{error} (the data of {run.path}); or name others: --source"
        ) from error
    RunDirectory(run.path).check_own_data(source.fingerprints())
    return source


def load_task_run(path: str | os.PathLike[str], which: str = "best") -> TaskRun:
    """Loads a run of an algorithmic task; as `load_run`."""
    directory = RunDirectory(path)
    config = directory.read_config()
    if not config.task.task:
        raise InputError(
            f"{path}: a translation run, not of an algorithmic task; name a run "
            "that was trained with neural-gpu-train --task"
        )
    task = config.task.algorithm
    model = _load_model(directory, config, task.vocabulary_size, which)
    return TaskRun(directory.path, config, task, model)


def _load_model(
    directory: RunDirectory, config: RunConfig, vocabulary_size: int, which: str
) -> keras.Model:
    model = build_model(config.model, vocabulary_size, drawn=False)
    load_weights(model, directory.weights(which))
    return model
