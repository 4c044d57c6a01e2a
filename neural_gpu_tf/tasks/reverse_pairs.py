"""The task of reversing a list of pairs."""

import dataclasses
from collections.abc import Sequence
from typing import ClassVar

from neural_gpu_tf.tasks.list_task import ListTask


@dataclasses.dataclass(frozen=True)
class ReversePairs(ListTask):
    """The pairs of a dictionary backwards, each with its key first (`rev2`).

        column   0 1 2 3 4 5
        source   b 3 a 1 c 2
        target   c 2 a 1 b 3

    k pairs lie on a canvas of 2k columns.
    """

    group: ClassVar[int] = 2

    def spec(self, symbols: Sequence[int]) -> Sequence[int]:
        target = list(symbols[::-1])
        target[0::2], target[1::2] = target[1::2], target[0::2]
        return target
