"""The weights of another run that a run begins with."""

from collections.abc import Sequence

import keras
import numpy as np
from absl import logging

from neural_gpu_tf.constants import PAD
from neural_gpu_tf.models import build_model
from neural_gpu_tf.pretrained_models import run_or_pretrained
from neural_gpu_tf.runs.config import RunConfig
from neural_gpu_tf.runs.load import load_task_run
from neural_gpu_tf.runs.run_directory import RunDirectory
from neural_gpu_tf.weights import load_weights


def load_first_weights(config: RunConfig, model: keras.Model) -> None:
    """Loads the best weights of the run that `init_from` names, if it names one.

    A run of a task whose symbols are others gives each symbol that both tasks have its
    embedding and its logit; a symbol that only the new task has keeps the weights that
    the model has already.

    Args:
        config: the options of the run that begins; `check_start` has found that it can.
        model: its model, new.

    Raises:
        InputError: the weights are missing or damaged.
    """
    if not config.training.init_from:
        return
    path = run_or_pretrained(config.training.init_from)
    theirs = RunDirectory(path).read_config()
    if config.symbols == theirs.symbols:
        load_weights(model, RunDirectory(path).weights("best"))
    else:
        wider = build_model(config.model, config.vocabulary_size + 1, drawn=False)
        other = load_task_run(path).model
        pairs = shared_symbols(config.symbols, theirs.symbols)
        _load_by_symbol(model, other, wider, np.array(pairs))
        new = len(config.symbols) - len(pairs)
        logging.info("%d of %d symbols are new", new, len(config.symbols))
    logging.info("starting with %s", RunDirectory(path).weights("best"))


def shared_symbols(ours: Sequence[str], theirs: Sequence[str]) -> list[tuple[int, int]]:
    """The indices, ours and theirs, of each symbol of one name.

    PAD is one in every task, whatever its name. Of symbols of one name within a task,
    the first is the other task's first.
    """
    known = {name: i for i, name in enumerate(_numbered(theirs[1:]), 1)}
    named = enumerate(_numbered(ours[1:]), 1)
    return [(PAD, PAD), *((i, known[name]) for i, name in named if name in known)]


def _numbered(names: Sequence[str]) -> list[tuple[str, int]]:
    """Each name with how many like it stand before it."""
    return [(name, names[:i].count(name)) for i, name in enumerate(names)]


def _load_by_symbol(
    model: keras.Model, other: keras.Model, wider: keras.Model, pairs: np.ndarray
) -> None:
    """Assigns the weights of `other`, on the axes of symbols only those of `pairs`.

    Args:
        model: the model that begins.
        other: the one that gives its weights.
        wider: one like `model` with one symbol more, which tells the axes of symbols.
        pairs: int [shared symbols, 2], the indices in `model` and in `other`.
    """
    for ours, theirs, wide in zip(
        model.weights, other.weights, wider.weights, strict=True
    ):
        value, given = np.array(ours), np.array(theirs)
        sizes = list(zip(ours.shape, wide.shape, strict=True))
        here, there = (
            np.ix_(*(one if size != more else range(size) for size, more in sizes))
            for one in pairs.T
        )
        value[here] = given[there]
        ours.assign(value)
