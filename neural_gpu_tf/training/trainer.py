"""The training loop."""

import contextlib
import dataclasses
import shlex
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NoReturn, Protocol

import keras
import numpy as np
import tensorflow as tf
from absl import logging

from neural_gpu_tf.data import Batch
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.files import write_atomically
from neural_gpu_tf.options import TrainingConfig
from neural_gpu_tf.training.best_weights import BestWeights
from neural_gpu_tf.training.checkpoints import Checkpoints
from neural_gpu_tf.training.interruption import Interruption
from neural_gpu_tf.training.progress import Progress
from neural_gpu_tf.training.strategy import batch_parts
from neural_gpu_tf.training.summaries import Summaries
from neural_gpu_tf.training.train_step import StepResult, TrainStep, build_optimizer
from neural_gpu_tf.weights import diverged, load_weights, save_weights


class Interrupted(Exception):
    """Training left early, on a signal, after writing a checkpoint."""

    def __init__(self, signal: int, step: int, path: str):
        super().__init__(
            f"stopped at step {step} by signal {signal}; checkpoint in {path}; give "
            "the same command again to go on"
        )
        self.signal = signal


class GivenUp(Exception):
    """Training left early, as a validation found it not worth going on."""

    def __init__(self, step: int, summary: dict[str, float]):
        super().__init__(f"given up at step {step}")
        self.step = step
        self.summary = summary  # as `Trainer.train` returns it


@dataclasses.dataclass(frozen=True)
class TrainingFiles:
    """Where training writes."""

    checkpoints: Path  # directory of checkpoints
    events: Path  # directory of TensorBoard's events
    best: Path  # directory of the few best validated weights
    best_weights: Path  # the weights with the lowest validation loss
    last_weights: Path  # the weights at the last validation
    diverged: Path  # says that training ended without a finite loss, and where


class Batches(Protocol):
    """What the trainer trains on: batches, and a place among them to save."""

    @property
    def dropout(self) -> float | None:
        """The model's dropout in the next step, at most; None: its own."""

    def batches(self) -> Iterator[Batch | tuple[Batch, ...]]:
        """What each step takes, without end, from the current place on."""

    def observe(self, result: StepResult) -> bool:
        """Called with the result of each batch, before the next one is drawn.

        Returns:
            Whether what is trained now is learned: progress, see `RelaxationPull`.
        """

    def scalars(self) -> dict[str, float]:
        """What to log of the current place, by name."""


class Trainer:
    """Trains, checkpoints, validates; goes on exactly where a checkpoint stopped.

    A model of several sets of weights is validated and saved as it is, until
    `RelaxationPull` makes them one. What was best before then counts no longer: from
    there on every weight that is validated, saved or exported is the one set's.

    Args:
        model: made under `strategy.scope()`.
        batches: the training batches; also a trackable, saved in the checkpoint.
        validate: called with the step, the model holding the weights to judge; returns
            scalars by name.
        config: the training options.
        files: where everything is written.
        strategy: the replicas.
        judged_by: the validation's scalar that is lowest for the best weights.
        blanks_count, buckets: see `TrainStep`.
        give_up: called with the step and the scalars of each validation but those
            after the last step: whether to end with `GivenUp`.
        seconds: spent on training before this one, in attempts given up.
    """

    def __init__(
        self,
        model: keras.Model,
        batches: Batches,
        validate: Callable[[int], dict[str, float]],
        config: TrainingConfig,
        files: TrainingFiles,
        strategy: tf.distribute.Strategy,
        judged_by: str = "perplexity_symbol",
        blanks_count: bool = False,
        buckets: int = 1,
        give_up: Callable[[int, dict[str, float]], bool] = lambda step, scalars: False,
        seconds: float = 0.0,
    ):
        self.model = model
        self.give_up = give_up
        self.judged_by = judged_by
        self.batches = batches
        self.validate = validate
        self.config = config
        self.files = files
        self.best_weights = BestWeights(files.best, config.keep_best)
        self.summaries = Summaries(files.events)
        with strategy.scope():
            self.optimizer = build_optimizer(config)
            self.optimizer.build(model.trainable_variables)
        self.train_step = TrainStep(
            model,
            self.optimizer,
            config,
            strategy,
            compiled=bool(tf.config.list_logical_devices("GPU")),
            blanks_count=blanks_count,
            buckets=buckets,
            parts=batch_parts(config.batch_parts, strategy.num_replicas_in_sync),
        )
        self.pull = self.train_step.pull
        self.warned = False
        self.best = tf.Variable(np.inf, dtype=tf.float64, trainable=False)
        self.seconds = tf.Variable(seconds, dtype=tf.float64, trainable=False)
        checkpoint = tf.train.Checkpoint(
            model=model,
            optimizer=self.optimizer,
            # Keras saves no state of random generators with a model.
            seeds=[v.value for v in model.variables if "seed" in v.path],
            auxiliary_weight=self.train_step.auxiliary_weight,
            usual_norm=self.train_step.autoclip,  # so called in older checkpoints
            # A model of one set has checkpoints without.
            **({"relaxation_pull": self.pull} if self.pull.sets else {}),
            batches=batches,
            best=self.best,
            seconds=self.seconds,
        )
        self.checkpoints = Checkpoints(
            checkpoint, files.checkpoints, config.keep_checkpoints
        )

    @property
    def step(self) -> int:
        """Steps done."""
        return int(self.optimizer.iterations.value.numpy())

    def run(
        self, options: Mapping[str, Any], init_weights: Path | None = None
    ) -> dict[str, float]:
        """Resumes from the newest checkpoint, or begins, and trains.

        Args:
            options: of the whole run by concern, for TensorBoard.
            init_weights: the weights to begin with; None: new ones.

        Returns, raises: as `restore` and `train`.
        """
        self.summaries.hyperparameters(options)
        where = shlex.quote(str(self.files.events.parent))
        logging.info("watch it: tensorboard --logdir %s", where)
        self.restore()
        if init_weights and not self.step:
            load_weights(self.model, init_weights)
            logging.info("starting with %s", init_weights)
        return self.train()

    def restore(self) -> None:
        """Goes to the newest whole checkpoint, if there is one.

        Raises:
            InputError: it is not of this model.
        """
        if path := self.checkpoints.restore():
            logging.info("going on from step %d: %s", self.step, path)

    def train(self) -> dict[str, float]:
        """Trains until `train_steps`, or until `train_minutes` are over.

        Returns:
            The last validation's scalars, and "train_seconds", the seconds of training
            in all starts.

        Raises:
            InputError: the loss is not a number, or a weight; names the step.
            Interrupted: on SIGTERM or Ctrl-C, after writing a checkpoint.
            GivenUp: `give_up` says so; no checkpoint is written.
        """
        scalars: dict[str, float] = {}
        config = self.config
        progress = Progress(self.step, config.train_steps)
        results: list[StepResult] = []
        batches = self.batches.batches()
        first = self.step
        clock = time.monotonic()

        def note_time() -> None:
            nonlocal clock
            now = time.monotonic()
            self.seconds.assign_add(now - clock)
            clock = now

        def summary() -> dict[str, float]:
            note_time()
            return {**scalars, "train_seconds": float(self.seconds.numpy())}

        def is_last(step: int) -> bool:
            if step >= config.train_steps:
                return True
            if config.train_minutes:
                note_time()
            return self._seconds_left() <= 0

        with Interruption() as interruption:
            done = first > 0 and is_last(first)
            if done or (first and self._validates_at(first)):
                # The stop may have come before this step's validation.
                scalars = self._validate(first)
                if not done and self.give_up(first, scalars):
                    raise GivenUp(first, summary())
            for step in range(first + 1, (first if done else config.train_steps) + 1):
                self.train_step.use_dropout(self.batches.dropout)
                batch = next(batches)
                results.append(self.train_step(batch))
                self._draw_together(self.batches.observe(results[-1]))
                if step == first + 1:
                    self.summaries.graph(self.train_step.concrete(batch).graph)
                # Looked at once: a signal that comes later counts at the next step.
                signal = interruption.signal
                last = is_last(step)
                leaving = last or signal is not None
                validating = last or (self._validates_at(step) and signal is None)
                saving = leaving or step % config.checkpoint_every == 0
                if leaving or step % config.log_every == 0:
                    self._report(step, results, progress)
                    results = []
                if validating or saving:
                    self._check_finite(step, results)
                if validating:
                    scalars = self._validate(step)
                    if not last and self.give_up(step, scalars):
                        raise GivenUp(step, summary())
                if saving:
                    note_time()
                    path = self.checkpoints.save(step)
                if last:
                    break
                if signal is not None:
                    raise Interrupted(signal, step, path)
            if done:
                logging.info("nothing to do: step %d is the last", first)
        if self.pull.sets and not self.pull.over:
            logging.warning(
                "the sets of weights are still apart: the pull is %.3g, and it must "
                "grow beyond 1 as the curriculum makes progress",
                *self.pull.scalars().values(),
            )
        return summary()

    def _validates_at(self, step: int) -> bool:
        """Whether the weights are validated after this step, if it is not the last."""
        return step % self.config.validate_every == 0

    def _seconds_left(self) -> float:
        """Until `train_minutes` are over."""
        minutes = self.config.train_minutes
        return 60 * minutes - float(self.seconds.numpy()) if minutes else np.inf

    def _report(self, step: int, results: list[StepResult], progress: Progress) -> None:
        """The progress line and the scalars of the steps since the last one."""
        self._check_finite(step, results)
        symbols = sum(float(r.symbols) for r in results)
        loss = sum(float(r.loss) for r in results) / max(symbols, 1.0)
        left = self._seconds_left()
        line, speed = progress.line(step, loss, int(symbols), left)
        place = self.batches.scalars() | self.pull.scalars()
        days = min(left, progress.seconds_left(step)) / 86_400
        if days > 1 and not self.warned and not self.train_step.compiled:
            self.warned = True
            logging.warning(
                "at this speed training takes %.0f days more; --config=small "
                "trains in minutes, --train_minutes ends sooner",
                days,
            )
        logging.info("%s", "  ".join([line, *(f"{k} {place[k]:.3g}" for k in place)]))
        norm = sum(float(r.gradient_norm) for r in results) / len(results)
        self.summaries.scalars(
            "train",
            step,
            {
                "loss": loss,
                "symbols_per_second": speed,
                "gradient_norm": norm,
                "learning_rate": float(self.optimizer.learning_rate),
                **place,
            },
        )

    def _draw_together(self, progress: bool) -> None:
        """Notes progress; if the sets of weights become one, the best begin anew."""
        if self.pull.observe(progress, self.model.trainable_variables):
            logging.info("step %d: one set of weights from here on", self.step)
            self.best.assign(np.inf)
            self.best_weights.forget()

    def _check_finite(self, step: int, results: list[StepResult]) -> None:
        """Raises InputError naming the first step that gave no finite number.

        What is saved has passed this, so that a run always has a place to resume from.
        """
        for i, result in enumerate(results):
            if not np.isfinite(float(result.loss) + float(result.gradient_norm)):
                bad = step - len(results) + 1 + i
                self._end_diverged(
                    f"step {bad}: the loss is {float(result.loss)} and the gradient's "
                    f"norm {float(result.gradient_norm)}"
                )
        if fault := diverged(self.model):
            self._end_diverged(f"step {step}: {fault}")

    def _end_diverged(self, what: str) -> NoReturn:
        write_atomically(self.files.diverged, (what + "\n").encode())
        raise InputError(
            f"{what}; lower --learning_rate or --clip_norm and give the command again: "
            f"it goes on from {self.checkpoints.newest or 'the start'}"
        )

    def _validate(self, step: int) -> dict[str, float]:
        """Validates the (averaged) weights and keeps them if they are the best."""
        with self._averaged_weights():
            scalars = self.validate(step)
            save_weights(self.model, self.files.last_weights)
            best = self.files.best_weights
            # Of equal ones the last, as in `BestWeights`.
            better = scalars[self.judged_by] <= float(self.best.numpy())
            if better:
                self.best.assign(scalars[self.judged_by])
            if better or not best.exists():  # the first one may be infinite
                save_weights(self.model, best)
            self.best_weights.offer(self.model, step, scalars[self.judged_by])
        self.summaries.scalars("validation", step, scalars)
        logging.info(
            "step %d  validation  %s",
            step,
            "  ".join(f"{name} {value:.4g}" for name, value in scalars.items()),
        )
        return scalars

    @contextlib.contextmanager
    def _averaged_weights(self) -> Iterator[None]:
        """Within it the model has the running average of its weights, if there is."""
        if not self.config.average_decay or not self.step:
            yield
            return
        weights = self.model.get_weights()
        self.optimizer.finalize_variable_values(self.model.trainable_variables)
        self.pull.unify(self.model.trainable_variables)
        try:
            yield
        finally:
            self.model.set_weights(weights)
