"""The task of sorting a list."""

import dataclasses
from collections.abc import Sequence

from neural_gpu_tf.tasks.list_task import ListTask


@dataclasses.dataclass(frozen=True)
class Sort(ListTask):
    """The symbols in ascending order (`sort`).

        column   0 1 2 3
        source   3 a 1 3
        target   1 3 3 a

    k symbols lie on a canvas of k columns.
    """

    def spec(self, symbols: Sequence[int]) -> Sequence[int]:
        return sorted(symbols)
