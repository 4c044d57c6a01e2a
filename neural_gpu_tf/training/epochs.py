"""Batches without end, from where a run stopped."""

from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor

import tensorflow as tf
from absl import logging

from neural_gpu_tf import text
from neural_gpu_tf.data import Batch, Source, check_fills_a_batch, training_batches
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.options import DataConfig
from neural_gpu_tf.training.shares import shared_out
from neural_gpu_tf.training.train_step import StepResult

_EMPTY = 3


class Epochs(tf.train.experimental.PythonState):
    """Epoch after epoch of `training_batches`; its place goes into the checkpoint.

    The order is a function of (seed, epoch), so (epoch, batches taken of it) is all
    there is to keep; a distributed iterator could not be saved.

    Args:
        source: the pairs.
        tokenizer: text to symbols.
        config: the data options.
        strategy: whose replicas share each batch.
    """

    dropout = None  # the model's own
    blanks_count, buckets = False, 1

    def __init__(
        self,
        source: Source,
        tokenizer: "text.SpellOutTokenizer",
        config: DataConfig,
        strategy: tf.distribute.Strategy,
    ):
        self.source = source
        self.tokenizer = tokenizer
        self.config = config
        self.strategy = strategy
        self.epoch = 0
        self.taken = 0

    def batches(self) -> Iterator[Batch]:
        """Batches, distributed over the replicas, from the current place on.

        Raises:
            InputError: three epochs in a row fill none, or no epoch can fill any.
        """
        empty = 0  # epochs in a row
        if self.taken:  # which takes minutes where it is millions of pairs
            told = (self.epoch, self.taken)
            logging.info("epoch %d: reading past its first %d batches", *told)
        with ThreadPoolExecutor(2) as executor:
            batches = self._epoch(self.epoch, skip=self.taken)
            while True:
                # Made beside this epoch's first steps: none waits for the next one.
                following = executor.submit(self._epoch, self.epoch + 1)
                for batch in _taken_ahead(batches, executor):
                    self.taken += 1
                    yield batch
                empty = 0 if self.taken else empty + 1
                if empty == 1:  # a run may resume on too many replicas
                    replicas = self.strategy.num_replicas_in_sync
                    check_fills_a_batch(
                        self.source, self.tokenizer, self.config, replicas
                    )
                if empty == _EMPTY:
                    raise InputError(
                        f"extra_columns={self.config.extra_columns}: {empty} epochs, "
                        f"the last of them {self.epoch}, filled no batch; give more "
                        "pairs, or lower it, max_batch_size or batch_cells"
                    )
                batches = following.result()
                self.epoch += 1
                self.taken = 0

    def _epoch(self, epoch: int, skip: int = 0) -> Iterator[Batch]:
        batches = training_batches(
            self.source,
            self.tokenizer,
            self.config,
            epoch,
            replicas=self.strategy.num_replicas_in_sync,
            skip=skip,
        )
        options = tf.data.Options()
        options.experimental_warm_start = True
        options.autotune.enabled = False  # its thread holds up the end of an epoch
        batches = batches.with_options(options)
        if self.strategy.num_replicas_in_sync == 1:
            return iter(batches)
        # Every worker makes all of an epoch, and takes its share of each batch; a
        # distributed dataset would deal whole batches, and can't be left in a hurry.
        return (shared_out(self.strategy, batch) for batch in batches)

    def observe(self, result: StepResult) -> bool:
        """No progress: what comes next does not depend on how the last batch went."""
        return False

    def scalars(self) -> dict[str, float]:
        """For the log: the epoch."""
        return {"epoch": float(self.epoch)}

    def serialize(self) -> str:
        return f"{self.epoch} {self.taken} {self.strategy.num_replicas_in_sync}"

    def deserialize(self, text: str) -> None:
        # Older ones don't tell the replicas.
        self.epoch, self.taken, *then = map(int, text.split())
        now = self.strategy.num_replicas_in_sync
        if self.taken and then and then != [now]:
            logging.warning(
                "epoch %d was started with %d replicas and resumes with %d, which "
                "changes its batches: some pairs may occur twice, and as many never",
                *(self.epoch, *then, now),
            )


def _taken_ahead(batches: Iterator[Batch], executor: Executor) -> Iterator[Batch]:
    """The same, each taken while the one before is worked on.

    Even a batch that is ready takes milliseconds where all cores are at work.
    """
    coming = executor.submit(next, batches, None)
    while (batch := coming.result()) is not None:
        coming = executor.submit(next, batches, None)
        yield batch
