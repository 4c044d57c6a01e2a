"""The task of reversing a list."""

import dataclasses
from collections.abc import Sequence

from neural_gpu_tf.tasks.list_task import ListTask


@dataclasses.dataclass(frozen=True)
class Reverse(ListTask):
    """The list backwards (`rev`).

        column   0 1 2
        source   3 a 1
        target   1 a 3

    k symbols lie on a canvas of k columns.
    """

    def spec(self, symbols: Sequence[int]) -> Sequence[int]:
        return symbols[::-1]
