"""One model whose weights are the mean of several."""

import os
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import keras
import numpy as np
import tensorflow as tf
from absl import logging

from neural_gpu_tf.errors import InputError, reason
from neural_gpu_tf.files import write_atomically
from neural_gpu_tf.models import build_model
from neural_gpu_tf.optimizers import build_optimizer
from neural_gpu_tf.options import TrainingConfig
from neural_gpu_tf.runs.config import RunConfig
from neural_gpu_tf.runs.run_directory import RunDirectory
from neural_gpu_tf.training.best_weights import BestWeights
from neural_gpu_tf.training.checkpoints import sound_checkpoints
from neural_gpu_tf.weights import load_weights, save_weights


def average_weights(
    run_dir: str | os.PathLike[str],
    output: str | os.PathLike[str],
    files: Sequence[str | os.PathLike[str]] = (),
    last: int | None = None,
    best: int | None = None,
    command: Sequence[str] = tuple(sys.argv),
) -> Path:
    """Writes a new run whose every weight is the mean of that weight in several.

        θ = 1/N Σ_i θ_i

    of the last N checkpoints of a run, of its N best validated weights, or of N files
    of weights, all of the same model. (Checkpoints hold the weights themselves, not
    their running average of --average_decay, which is what is validated.) The new run
    has the configuration, the vocabulary and the data of the old one and the mean as
    best and last weights; it evaluates, translates and exports like any, but can't be
    resumed.

    Args:
        run_dir: the run: its configuration, and its checkpoints if there are no files.
        output: directory of the new run.
        files: weights, `best.weights.h5` of some runs for instance.
        last: N, how many checkpoints; all that were kept if None.
        best: N, how many of the best validated weights, instead of checkpoints.
        command: what to write down as the start's command.

    Returns:
        The new run's directory.

    Raises:
        InputError: something is missing, damaged or does not match, or there is a run
            already where to write.
    """
    directory, new = RunDirectory(run_dir), RunDirectory(output)
    config = directory.read_config()
    if new.exists():
        raise InputError(
            f"output={new.path}: a run is there already; choose another directory"
        )
    _check_one_given(directory, last, best, files)
    vocabulary = None if config.task.task else directory.read_vocabulary(config)
    model = build_model(config.model, config.vocabulary_size, drawn=False)
    load = load_weights
    if files:
        sources = [Path(file) for file in files]
    elif best is not None:
        sources = _best(directory, best)
    else:
        sources = _checkpoints(directory, last)
        load = _restorer(model, config.training)
    _set_mean(model, sources, load)
    new.make()
    if vocabulary:
        vocabulary.save(new.vocabulary)
    _write(new, model, config, directory)
    new.note_start(command)
    logging.info("%s: the mean of %s", new.path, ", ".join(map(str, sources)))
    return new.path


def _write(
    new: RunDirectory, model: keras.Model, config: RunConfig, old: RunDirectory
) -> None:
    """Writes the weights, and what the old run noted of its data if it did."""
    for which in ("best", "last"):
        save_weights(model, new.weights(which))
    if old.data.exists():  # the validation data may be read as the old run's
        write_atomically(new.data, old.data.read_bytes())
    new.write_config(config)  # last: from now on a run exists there
    if old.decoding.exists():
        logging.warning(
            "%s: the decoding options that were tuned there are not those of the mean; "
            "tune it anew with neural-gpu-tune-decoding",
            old.decoding,
        )


def _check_one_given(
    directory: RunDirectory, last: int | None, best: int | None, files: Sequence[Any]
) -> None:
    """Raises InputError if weights of several kinds are asked for."""
    given = {"--last": last, "--best": best, "files of weights": list(files) or None}
    names = [name for name, value in given.items() if value is not None]
    if len(names) > 1:
        raise InputError(
            f"{' and '.join(names)}: give one of them; --last and --best take weights "
            f"of {directory.path}"
        )


def _best(directory: RunDirectory, count: int) -> list[Path]:
    """The best validated weights of a run, the best first."""
    there = BestWeights(directory.best, keep=count).best()
    if not 1 <= count <= len(there):
        raise InputError(
            f"best={count}: {directory.best} has {len(there)} validated weights; "
            f"choose from 1 to {len(there)} (training keeps --keep_best)"
        )
    return [one.path for one in there[:count]]


def _checkpoints(directory: RunDirectory, last: int | None) -> list[Path]:
    """The last checkpoints of a run, oldest first."""
    there = [Path(path) for path in sound_checkpoints(directory.checkpoints, last)]
    if not there:
        raise InputError(
            f"{directory.checkpoints}: no checkpoint is there; name files of weights"
        )
    count = len(there) if last is None else last
    if not 1 <= count <= len(there):
        raise InputError(
            f"last={last}: {directory.checkpoints} has {len(there)} checkpoints; "
            f"choose from 1 to {len(there)} (training keeps --keep_checkpoints)"
        )
    return there[-count:]


def _restorer(
    model: keras.Model, config: TrainingConfig
) -> Callable[[keras.Model, Path], None]:
    """What reads the weights of the model out of a checkpoint of the trainer.

    Some variables are known to a checkpoint by way of the optimizer alone, which
    therefore is restored too.
    """
    optimizer = build_optimizer(config)
    optimizer.build(model.trainable_variables)
    checkpoint = tf.train.Checkpoint(model=model, optimizer=optimizer)

    def restore(_: keras.Model, path: Path) -> None:
        try:
            _check_shapes(model, path)
            status = checkpoint.restore(str(path)).expect_partial()
            status.assert_existing_objects_matched()
        except (AssertionError, ValueError, tf.errors.OpError) as error:
            raise InputError(
                f"{path}: this checkpoint does not fit the model of config.json "
                f"({reason(error)}); take others with --last, or name files of weights"
            ) from error

    return restore


def _check_shapes(model: keras.Model, path: Path) -> None:
    """Raises ValueError unless the checkpoint has variables of all shapes needed.

    A restore that fails half way would log every variable that it did not come to.
    """
    there = Counter(tuple(shape) for _, shape in tf.train.list_variables(str(path)))
    needed = Counter(tuple(weight.shape) for weight in model.weights)
    for shape in needed - there:
        raise ValueError(f"it has too few variables of shape {shape}")


def _set_mean(
    model: keras.Model,
    sources: Sequence[Path],
    load: Callable[[keras.Model, Path], None],
) -> None:
    """Gives the model the mean of what `load` reads, summed in float64."""
    sums = [np.zeros(weight.shape, np.float64) for weight in model.get_weights()]
    for source in sources:
        load(model, source)
        for total, weight in zip(sums, model.get_weights(), strict=True):
            total += weight
    model.set_weights([total / len(sources) for total in sums])
