"""Batches of an algorithmic task, from short to long."""

from collections.abc import Iterator

import tensorflow as tf

from neural_gpu_tf.curriculum import Course
from neural_gpu_tf.data import Batch
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.options import CurriculumConfig
from neural_gpu_tf.training.shares import shared_out
from neural_gpu_tf.training.train_step import StepResult


class Curriculum(Course, tf.train.experimental.PythonState):
    """A `Course` whose state the checkpoint keeps.

    Args:
        config: the options.
        strategy: whose replicas share each batch.
        most_dropout: see `Course`.
    """

    blanks_count = True

    def __init__(
        self,
        config: CurriculumConfig,
        strategy: tf.distribute.Strategy,
        most_dropout: float = 1.0,
    ):
        replicas, quarters = strategy.num_replicas_in_sync, 4**config.doublings
        if config.task_batch_size % (replicas * quarters):
            times = f" times {quarters}, for the doublings" if config.doublings else ""
            raise InputError(
                f"task_batch_size={config.task_batch_size}: must be a multiple of "
                f"the {replicas} replicas{times}"
            )
        super().__init__(config, most_dropout)
        self.strategy = strategy

    def batches(self) -> Iterator[Batch | tuple[Batch, ...]]:
        """Batches without end, from the current place on; tuples if in buckets."""
        while True:
            shares = tuple(shared_out(self.strategy, bucket) for bucket in self.draw())
            yield shares if self.buckets > 1 else shares[0]

    def observe(self, result: StepResult) -> bool:
        """`note`, of what a step reports."""
        return self.note(float(result.right) / float(result.examples))
