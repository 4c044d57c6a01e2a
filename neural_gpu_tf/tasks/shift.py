"""The task of rotating a list by one place."""

import dataclasses
from collections.abc import Sequence

from neural_gpu_tf.tasks.list_task import ListTask


@dataclasses.dataclass(frozen=True)
class Shift(ListTask):
    """Column k takes its symbol from column k + `by`, around the ends.

        column   0 1 2
        source   3 a 1
        target   1 3 a        left-shift: from the left, by = -1
        target   a 1 3        right-shift: from the right, by = 1

    The names are those of data_utils.py, whose left-shift takes the symbol to the
    left of each column (so the list moves right, the last symbol to the front). Its
    right-shift reads past the end of the list and fails; here it goes around too.

    Attributes:
        by: -1 or 1.
    """

    by: int = -1

    def spec(self, symbols: Sequence[int]) -> Sequence[int]:
        return [symbols[(k + self.by) % len(symbols)] for k in range(len(symbols))]
