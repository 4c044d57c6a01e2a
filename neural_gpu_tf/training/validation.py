"""Validation: which weights of a run are kept."""

import contextlib
import dataclasses
from collections.abc import Callable, Iterator

import keras
import numpy as np
import tensorflow as tf

from neural_gpu_tf.options import TrainingConfig
from neural_gpu_tf.training.best_weights import BestWeights
from neural_gpu_tf.training.patience import Patience
from neural_gpu_tf.training.relaxation_pull import RelaxationPull
from neural_gpu_tf.training.summaries import Summaries
from neural_gpu_tf.training.training_files import TrainingFiles
from neural_gpu_tf.weights import save_weights


def _never(step: int, scalars: dict[str, float]) -> bool:
    return False


@dataclasses.dataclass(frozen=True)
class Judge:
    """What a run is judged by."""

    validate: Callable[[int], dict[str, float]]
    """Called with the step, the model holding the weights to judge; scalars by name."""

    by: str = "perplexity_symbol"
    """The scalar that is lowest for the best weights."""

    give_up: Callable[[int, dict[str, float]], bool] = _never
    """Called with the step and the scalars of each validation but those after the last
    step: whether training is to end with `GivenUp`."""


class Validation:
    """Validates the averaged weights, and keeps the last and the best of them.

    Args:
        model: whose weights are trained.
        optimizer: its optimizer, which has their running average.
        judge: what they are judged by.
        files: where they are kept.
        config: how many of the best to keep beside the best, and when to end.
        pull: what merges sets of weights.
        summaries: where the scalars are written.
    """

    def __init__(
        self,
        model: keras.Model,
        optimizer: keras.optimizers.Optimizer,
        judge: Judge,
        files: TrainingFiles,
        config: TrainingConfig,
        pull: RelaxationPull,
        summaries: Summaries,
    ):
        self.model = model
        self.optimizer = optimizer
        self.judge = judge
        self.files = files
        self.pull = pull
        self.summaries = summaries
        self.best = tf.Variable(np.inf, dtype=tf.float64, trainable=False)
        self.patience = Patience(config.patience)
        self._best_weights = BestWeights(files.best, config.keep_best)

    def __call__(self, step: int) -> dict[str, float]:
        """The scalars of the weights after this step, which are kept if the best."""
        with self._averaged_weights():
            scalars = self.judge.validate(step)
            value = scalars[self.judge.by]
            save_weights(self.model, self.files.last_weights)
            best = self.files.best_weights
            self.patience.observe(step, value < float(self.best.numpy()))
            # Of equal ones the last, as in `BestWeights`.
            better = value <= float(self.best.numpy())
            if better:
                self.best.assign(value)
            if better or not best.exists():  # the first one may be infinite
                save_weights(self.model, best)
            self._best_weights.offer(self.model, step, value)
        self.summaries.report("validation", step, scalars)
        return scalars

    def forget(self) -> None:
        """What was best so far counts no longer."""
        self.best.assign(np.inf)
        self.patience.in_vain.assign(0)
        self._best_weights.forget()

    @contextlib.contextmanager
    def _averaged_weights(self) -> Iterator[None]:
        """Within it the model has the running average of its weights, if there is."""
        if not self.optimizer.use_ema or not int(self.optimizer.iterations.numpy()):
            yield
            return
        weights = self.model.get_weights()
        self.optimizer.finalize_variable_values(self.model.trainable_variables)
        self.pull.unify(self.model.trainable_variables)
        try:
            yield
        finally:
            self.model.set_weights(weights)
