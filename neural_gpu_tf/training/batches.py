"""What training takes its batches from."""

from collections.abc import Iterator
from typing import Protocol

from neural_gpu_tf.data import Batch
from neural_gpu_tf.training.train_step import StepResult


class Batches(Protocol):
    """Batches, and a place among them to save; also a trackable, for the checkpoint."""

    blanks_count: bool  # PAD within the canvas is a symbol like any other
    buckets: int  # batches that a step takes; in a tuple, if more than 1

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
