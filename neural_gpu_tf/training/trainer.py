"""The training loop."""

import shlex
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import keras
import tensorflow as tf
from absl import logging

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.files import write_atomically
from neural_gpu_tf.optimizers import build_optimizer, learning_rate
from neural_gpu_tf.options import TrainingConfig
from neural_gpu_tf.training.batches import Batches
from neural_gpu_tf.training.checkpoints import Checkpoints
from neural_gpu_tf.training.divergence import divergence
from neural_gpu_tf.training.ends import GivenUp, Interrupted
from neural_gpu_tf.training.interruption import Interruption
from neural_gpu_tf.training.progress import Progress
from neural_gpu_tf.training.seeds import is_seed
from neural_gpu_tf.training.shares import local_replicas
from neural_gpu_tf.training.strategy import batch_parts
from neural_gpu_tf.training.summaries import Summaries
from neural_gpu_tf.training.train_step import StepResult, TrainStep
from neural_gpu_tf.training.training_files import TrainingFiles
from neural_gpu_tf.training.training_time import TrainingTime
from neural_gpu_tf.training.validation import Judge, Validation
from neural_gpu_tf.training.workers import Workers


class Trainer:
    """Trains, checkpoints, validates; resumes exactly where a checkpoint stopped.

    A model of several sets of weights is validated and saved as it is, until
    `RelaxationPull` makes them one: from there on, what is saved is the one set's.

    Args:
        model: made under `strategy.scope()`.
        batches: the training batches.
        judge: what validations measure.
        config: the training options.
        files: where everything is written.
        strategy: the replicas.
        workers: the processes that train together. All take the same steps; the chief
            alone validates and writes, and the others read its checkpoints.
    """

    def __init__(
        self,
        model: keras.Model,
        batches: Batches,
        judge: Judge,
        config: TrainingConfig,
        files: TrainingFiles,
        strategy: tf.distribute.Strategy,
        workers: Workers | None = None,
    ):
        self.model = model
        self.batches = batches
        self.judge = judge
        self.config = config
        self.files = files
        self.workers = workers or Workers()
        self.summaries = Summaries(files.events if self.workers.chief else None)
        with strategy.scope():
            self.optimizer = build_optimizer(config)
            self.optimizer.build(model.trainable_variables)
        self.train_step = TrainStep(
            model,
            self.optimizer,
            config,
            strategy,
            compiled=bool(tf.config.list_logical_devices("GPU")),
            blanks_count=batches.blanks_count,
            buckets=batches.buckets,
            parts=batch_parts(config.batch_parts, len(local_replicas(strategy))),
        )
        self.pull = self.train_step.pull
        self.validation = Validation(
            *(model, self.optimizer, judge, files),
            *(config, self.pull, self.summaries),
        )
        self.time = TrainingTime(config.train_minutes)
        self.checkpoints = Checkpoints(
            *(self._checkpointed(), files.checkpoints, config.keep_checkpoints),
            writes=self.workers.chief,
            newer=["patience"],
        )
        self.interruption = Interruption()

    def _checkpointed(self) -> dict[str, Any]:
        """All that resuming needs, by name."""
        return {
            "model": self.model,
            "optimizer": self.optimizer,
            "seeds": [v.value for v in self.model.variables if is_seed(v)],
            "auxiliary_weight": self.train_step.auxiliary_weight,
            "usual_norm": self.train_step.autoclip,  # so called in older checkpoints
            # A model of one set has checkpoints without.
            **({"relaxation_pull": self.pull} if self.pull.sets else {}),
            "batches": self.batches,
            "best": self.validation.best,
            "patience": self.validation.patience,
            "seconds": self.time.seconds,
        }

    @property
    def step(self) -> int:
        """Steps done."""
        return int(self.optimizer.iterations.value.numpy())

    def run(
        self,
        options: Mapping[str, Any],
        initialize: Callable[[keras.Model], None] | None = None,
        seconds: float = 0.0,
    ) -> dict[str, float]:
        """Resumes from the newest checkpoint, or begins, and trains.

        Args:
            options: of the whole run by concern, for TensorBoard.
            initialize: assigns the weights to begin with, unless it resumes.
            seconds: spent on training before this one, in attempts given up.

        Returns, raises: as `restore` and `train`.
        """
        self.summaries.hyperparameters(options)
        if self.workers.chief:
            where = shlex.quote(str(self.files.events.parent))
            logging.info("watch it: tensorboard --logdir %s", where)
        self.time.seconds.assign(seconds)
        self.restore()
        if initialize and not self.step:
            initialize(self.model)
        return self.train()

    def restore(self) -> None:
        """Goes to the newest whole checkpoint, if there is one.

        Raises:
            InputError: it is not of this model, or workers see different ones.
        """
        self.workers.check_same(
            {"checkpoint": Path(self.checkpoints.newest or "none").name},
            f"all workers need one disk for run_dir={self.files.events.parent}",
        )
        if path := self.checkpoints.restore():
            if "patience" in self.checkpoints.lacking:
                self.validation.patience.resume(self.step)
            self.summaries.resumed = self.step
            logging.info("resuming from step %d: %s", self.step, path)

    def train(self) -> dict[str, float]:
        """Trains until `train_steps`, or `train_minutes` or `patience` are over.

        Returns:
            The last validation's scalars, and "train_seconds", the seconds of training
            in all starts.

        Raises:
            InputError: the loss is not a number, or a weight; names the step.
            Interrupted: on SIGTERM, SIGHUP or Ctrl-C, of any worker, after writing a
                checkpoint.
            GivenUp: the judge says so.
            WorkerLost: another worker has gone.
        """
        self.time.begin()
        scalars: dict[str, float] = {}
        first = self.step
        _, over = self._agreed(first, None)
        done = first > 0 and (over or self.validation.patience.is_over())
        with Interruption() as self.interruption:
            if done or (first and first % self.config.validate_every == 0):
                # The stop may have come before this step's validation.
                scalars, over = self._validate(first, is_last=done)
                done = done or over
            if done:
                logging.info("nothing to do: step %d is the last", first)
            else:
                scalars = self._loop(first, scalars)
        self.pull.warn_if_apart()
        return self._summary(scalars)

    def _loop(self, first: int, scalars: dict[str, float]) -> dict[str, float]:
        """Takes the steps after `first`; the last validation's scalars."""
        config = self.config
        results: list[StepResult] = []
        batches = self.batches.batches()
        for step in range(first + 1, config.train_steps + 1):
            self.train_step.use_dropout(self.batches.dropout)
            batch = next(batches)
            if step == first + 1:  # it may be the millionth batch of its epoch
                progress = Progress(first, config.train_steps)
            results.append(self.train_step(batch))
            self._draw_together(self.batches.observe(results[-1]))
            if step == first + 1:
                self.summaries.graph(self.train_step.concrete(batch).graph)
            # Looked at once: a signal that comes later counts at the next step.
            signal, last = self._agreed(step, self.interruption.signal)
            leaving = last or signal is not None
            due = step % config.validate_every == 0
            validating = last or (due and signal is None)
            saving = leaving or step % config.checkpoint_every == 0
            if leaving or step % config.log_every == 0:
                self._check_finite(step, results)
                if self.workers.chief:
                    self._report(step, results, progress)
                results = []
            if validating or saving:
                self._check_finite(step, results)
            with progress.left_out():
                if saving:  # a validation may take long, and may not come to its end
                    path = self._save(step)
                if validating:
                    scalars, over = self._validate(step, is_last=last)
                    last = last or over
                    if last:  # with what came of it
                        self._save(step)
            if last:
                break
            if signal is not None:
                raise Interrupted(signal, step, path)
        return scalars

    def _save(self, step: int) -> str:
        """Writes a checkpoint, and returns its path."""
        self.time.note()
        path = self.workers.from_chief(self.checkpoints.save, step)
        self.checkpoints.newest = path
        return path

    def _agreed(self, step: int, signal: int | None) -> tuple[int | None, bool]:
        """The signal that a worker has got, and whether this step is the last."""
        last = step >= self.config.train_steps or self.time.is_over()
        signals, lasts = zip(*self.workers.exchange((signal, last)), strict=True)
        return next(filter(None, signals), None), any(lasts)

    def _validate(self, step: int, is_last: bool) -> tuple[dict[str, float], bool]:
        """A validation's scalars, and whether patience is over; or raises `GivenUp`."""

        def validate() -> tuple[dict[str, float], bool, bool]:
            scalars = self.validation(step)
            give_up = not is_last and self.judge.give_up(step, scalars)
            return scalars, self.validation.patience.is_over(), give_up

        # Not shared out: what is judged would depend on how many workers there are.
        scalars, over, give_up = self.workers.from_chief(validate)
        if give_up:
            signal, _ = self._agreed(step, self.interruption.signal)
            raise GivenUp(step, self._summary(scalars), signal)
        return scalars, over

    def _summary(self, scalars: dict[str, float]) -> dict[str, float]:
        return {**scalars, "train_seconds": self.time.note()}

    def _report(self, step: int, results: list[StepResult], progress: Progress) -> None:
        """The progress line and the scalars of the steps since the last one."""
        symbols = sum(float(r.symbols) for r in results)
        loss = sum(float(r.loss) for r in results) / max(symbols, 1.0)
        left = self.time.left()
        line, speed = progress.line(step, loss, int(symbols), left)
        place = self.batches.scalars() | self.pull.scalars()
        if not tf.config.list_logical_devices("GPU"):
            progress.warn_of_days(step, left)
        logging.info("%s", "  ".join([line, *(f"{k} {place[k]:.3g}" for k in place)]))
        self.summaries.scalars(
            "train",
            step,
            {
                "loss": loss,
                "symbols_per_second": speed,
                "gradient_norm": sum(float(r.gradient_norm) for r in results)
                / len(results),
                "learning_rate": float(learning_rate(self.config)(step - 1)),
                **place,
            },
        )

    def _draw_together(self, progress: bool) -> None:
        """Notes progress; if the sets of weights become one, the best begin anew."""
        if self.pull.observe(progress, self.model.trainable_variables):
            logging.info("step %d: one set of weights from here on", self.step)
            if self.workers.chief:
                self.validation.forget()

    def _check_finite(self, step: int, results: list[StepResult]) -> None:
        """Raises InputError naming the first step that gave no finite number.

        What is saved has passed this, so that a run always has a place to resume from.
        """
        if not (what := divergence(self.model, step, results)):
            return
        if self.workers.chief:
            write_atomically(self.files.diverged, (what + "\n").encode())
        raise InputError(
            f"{what}; lower --learning_rate or --clip_norm and give the command again: "
            f"it resumes from {self.checkpoints.newest or 'the start'}"
        )
