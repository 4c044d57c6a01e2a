"""From a configuration to a model that knows an algorithm."""

import dataclasses
import functools
import os
import sys
from collections.abc import Mapping, Sequence

import keras
import numpy as np
import tensorflow as tf
from absl import logging

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.evaluation import by_length, has_picture, question_frames
from neural_gpu_tf.inference import Solver, check_columns
from neural_gpu_tf.models import cell_bytes
from neural_gpu_tf.options import (
    CurriculumConfig,
    DataConfig,
    DecodingConfig,
    ModelConfig,
    TrainingConfig,
    parse_bits,
)
from neural_gpu_tf.runs.config import RunConfig
from neural_gpu_tf.runs.first_weights import load_first_weights
from neural_gpu_tf.runs.run_directory import RunDirectory
from neural_gpu_tf.training.curriculum import Curriculum
from neural_gpu_tf.training.distribution import distribution
from neural_gpu_tf.training.ends import GivenUp, Interrupted
from neural_gpu_tf.training.new_model import new_model
from neural_gpu_tf.training.summaries import Summaries
from neural_gpu_tf.training.trainer import Trainer
from neural_gpu_tf.training.validation import Judge
from neural_gpu_tf.training.workers import Workers
from neural_gpu_tf.workflows.select_weights import keep_validated, select_weights

_DRAWN_BITS = 12
_SEEDS_APART = 1_000  # of two attempts


def train_task(
    run_dir: str | os.PathLike[str],
    task: CurriculumConfig,
    model: ModelConfig,
    training: TrainingConfig,
    command: Sequence[str] = tuple(sys.argv),
) -> dict[str, float]:
    """Trains a model on an algorithmic task, or resumes.

    Each validation measures, at each of `task.validation_bits`, the share of random
    and of hard examples that are wholly right. The best weights have the lowest
    "error": one minus the mean of that share and the share of correct symbols, averaged
    over the lengths, with weight `task.last_hard_share` (the final share of hard
    training examples) for hard examples and the rest for random ones; in the end that
    of `task.selection_cases` other examples, see `select_weights`. If the model has a
    memory to draw, it is drawn for TensorBoard, for the same example each time.

    An attempt whose error at step `task.give_up_at` exceeds `task.give_up_error` is
    abandoned, and the next one uses seeds higher by 1,000, up to `task.attempts`. (Some
    of the many models that Kaiser & Sutskever 2016 trained, too, were correct at the
    lengths of training only.)

    Args:
        run_dir: the run directory; see `RunDirectory`.
        task, model, training: the options.
        command: what to write down as the start's command.

    Returns:
        The last validation's scalars, "train_seconds", of all attempts, and what
        `select_weights` returns; also in summary.json.

    Raises:
        InputError: something given is missing or wrong.
        Interrupted: on SIGTERM or Ctrl-C, after writing a checkpoint or giving an
            attempt up; in a selection, nothing is selected.
        WorkerLost: another worker did not come, or has gone.
    """
    _check_options(task, training)
    directory = RunDirectory(run_dir)
    symbols = task.algorithm.vocabulary_size
    others = DecodingConfig(), symbols, "", task
    config = RunConfig(DataConfig(), model, training, *others)
    if not directory.exists():  # runs begun before these checks go on
        _check_course(task, model)
    options = training, task, model
    with distribution(*options, run_dir=os.fspath(run_dir)) as (strategy, workers):
        Curriculum(task, strategy)  # raises before anything is written
        workers.from_chief(directory.begin, config, command)
        while True:
            given_up = workers.from_chief(directory.attempts)
            try:
                return _attempt(given_up, directory, config, strategy, workers)
            except GivenUp as stopped:
                logging.info(
                    "step %d: error %.3g, above --give_up_error=%g; another attempt",
                    *(stopped.step, stopped.summary["error"], task.give_up_error),
                )
                workers.from_chief(directory.give_up, stopped.summary)
                if stopped.signal is not None:
                    raise Interrupted(stopped.signal, stopped.step, "") from None


def _check_options(task: CurriculumConfig, training: TrainingConfig) -> None:
    """Raises InputError if no validation could give up, or nothing could be selected.

    Warns if the validation that could give up does not come in time.
    """
    if not task.task:
        raise InputError("task='': name an algorithmic task")
    if task.selection_cases and training.keep_best < 2:
        raise InputError(
            f"selection_cases={task.selection_cases}: there is nothing to select from "
            f"with keep_best={training.keep_best}; give 2 or more, or selection_cases=0"
        )
    if task.give_up_at % training.validate_every:
        raise InputError(
            f"give_up_at={task.give_up_at}: there is no validation at this step; it "
            f"must be a multiple of validate_every={training.validate_every}"
        )
    if task.give_up_at >= training.train_steps:  # a short trial of a flagfile's
        logging.warning(
            "--give_up_at=%d is not before --train_steps=%d: no attempt is given up",
            *(task.give_up_at, training.train_steps),
        )
    first = (training.patience + 1) * training.validate_every
    if training.patience and task.attempts > 1 and first <= task.give_up_at:
        logging.warning(
            "--patience=%d may end an attempt before --give_up_at=%d gives it up",
            *(training.patience, task.give_up_at),
        )


def _check_course(task: CurriculumConfig, model: ModelConfig) -> None:
    """Raises InputError if a threshold can't be passed, or a validation not be made."""
    for name in ("threshold", "dropout_threshold"):
        if getattr(task, name) == 1:
            raise InputError(f"{name}=1: the running share never reaches 1; lower it")
    if task.curriculum_dropout > model.dropout:
        raise InputError(
            f"curriculum_dropout={task.curriculum_dropout}: must be at most dropout="
            f"{model.dropout}, to which it rises; lower it, or raise that"
        )
    for bits in parse_bits("validation_bits", task.validation_bits):
        given = f"validation_bits={task.validation_bits}"
        check_columns(task.algorithm.canvas(bits), cell_bytes(model), given)


def _attempt(
    given_up: Sequence[Mapping[str, float]],
    directory: RunDirectory,
    config: RunConfig,
    strategy: tf.distribute.Strategy,
    workers: Workers,
) -> dict[str, float]:
    """Trains once, or resumes; raises `GivenUp` if another attempt is to follow."""
    more = _SEEDS_APART * len(given_up)
    task = dataclasses.replace(
        config.task, curriculum_seed=config.task.curriculum_seed + more
    )
    training = dataclasses.replace(
        config.training, training_seed=(config.training.training_seed + more) % 2**32
    )
    config = dataclasses.replace(config, training=training, task=task)
    batches = Curriculum(task, strategy, config.model.dropout)
    symbols, seed = config.vocabulary_size, training.training_seed
    network = new_model(config.model, symbols, seed, strategy, training.precision)
    validation = _Validation(network, batches, config)

    def give_up(step: int, scalars: Mapping[str, float]) -> bool:
        another = len(given_up) + 1 < task.attempts
        late = step == task.give_up_at
        return another and late and scalars["error"] > task.give_up_error

    judge = Judge(validation, by="error", give_up=give_up)
    files = directory.training_files
    trainer = Trainer(network, batches, judge, training, files, strategy, workers)
    validation.summaries = trainer.summaries
    summary = trainer.run(
        dataclasses.asdict(config),
        functools.partial(load_first_weights, config),
        given_up[-1]["train_seconds"] if given_up else 0.0,
    )
    workers.from_chief(directory.write_summary, summary)
    validated = float(trainer.validation.best.numpy())
    if not task.selection_cases:
        workers.from_chief(keep_validated, files, validated)
    else:

        def measure() -> dict[str, float]:
            _go_on(trainer)
            return validation.measure(task.selection_cases, task.curriculum_seed + 2)

        options = network, files, validated, measure, judge.by, trainer.summaries
        with trainer.interruption:  # a signal may have come in the last validation
            selected = select_weights(*options) if workers.chief else {}
            while not _go_on(trainer, done=workers.chief):
                pass  # the chief measures once more
            summary |= workers.exchange(selected)[0]
        workers.from_chief(directory.write_summary, summary)
    return summary


def _go_on(trainer: Trainer, done: bool = False) -> bool:
    """Whether all workers are done, which one says; raises after a signal to any."""
    trainer.workers.exchange(None)  # a signal counts that came while one was waiting
    exchanged = trainer.workers.exchange((trainer.interruption.signal, done))
    signals, dones = zip(*exchanged, strict=True)
    if not any(dones) and (signal := next(filter(None, signals), None)) is not None:
        raise Interrupted(signal, trainer.step, trainer.checkpoints.newest or "")
    return any(dones)


class _Validation:
    """Accuracy by length; see `train_task`.

    Args:
        network: the model that is trained.
        batches: its curriculum.
        config: the run's options.
    """

    def __init__(self, network: keras.Model, batches: Curriculum, config: RunConfig):
        self.network = network
        self.batches = batches
        self.task = config.task
        self.summaries: Summaries | None = None
        self.solver = Solver(network)
        self.column_bytes = cell_bytes(config.model)
        self.lengths = parse_bits("validation_bits", self.task.validation_bits)
        algorithm = self.task.algorithm
        rng = np.random.default_rng(self.task.curriculum_seed)
        self.drawn = algorithm.generate(rng, algorithm.canvas(_DRAWN_BITS), 1)[0][0]

    def __call__(self, step: int) -> dict[str, float]:
        task = self.task
        scalars = self.measure(task.validation_cases, task.curriculum_seed + 1)
        if self.summaries and has_picture(self.network):
            frames = question_frames(self.network, task.algorithm, self.drawn)
            self.summaries.picture("memory", step, frames)
        return {**self.batches.scalars(), **scalars}

    def measure(self, cases: int, seed: int) -> dict[str, float]:
        """Accuracy at each length, half of the cases hard ones, and the "error"."""
        scalars, error = {}, 0.0
        of_hard = self.task.last_hard_share
        for hard, share in ((False, 1 - of_hard), (True, of_hard)):
            for score in by_length(
                *(self.solver, self.task.algorithm, self.lengths),
                *(cases // 2, self.column_bytes),
                seed=seed,
                hard=hard,
            ):
                kind = "hard" if hard else "exact"
                scalars[f"{kind}_{score.bits}"] = score.exact
                wrong = 1 - (score.exact + score.symbols) / 2
                error += share * wrong / len(self.lengths)
        return {**scalars, "error": error}
