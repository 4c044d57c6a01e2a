"""The task of repeating a list twice."""

import dataclasses
from collections.abc import Sequence

import numpy as np

from neural_gpu_tf.tasks.list_task import ListTask


@dataclasses.dataclass(frozen=True)
class Duplicate(ListTask):
    """The list twice (`dup`); the second half of the source is blank.

        column   0 1 2 3 4 5
        source   3 a 1 . . .
        target   3 a 1 3 a 1

    k symbols lie on a canvas of 2k columns.
    """

    def columns(self, bits: int) -> int:
        return 2 * bits

    def elements(self, length: int) -> int:
        return length // 2

    def extent(self, source: np.ndarray) -> np.ndarray:
        return 2 * super().extent(source)

    def spec(self, symbols: Sequence[int]) -> Sequence[int]:
        return [*symbols, *symbols]
