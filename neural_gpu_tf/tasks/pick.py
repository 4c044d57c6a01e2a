"""The task of picking one symbol of a list."""

import dataclasses
from collections.abc import Sequence

from neural_gpu_tf.tasks.list_task import ListTask


@dataclasses.dataclass(frozen=True)
class Pick(ListTask):
    """The symbol at a fixed place, in the first column (`left`, `right`).

        column   0 1 2
        source   3 a 1
        target   3 . .        left; for right: 1 . .

    Attributes:
        place: 0 for the first symbol, -1 for the last.
    """

    place: int = 0

    def spec(self, symbols: Sequence[int]) -> Sequence[int]:
        return [symbols[self.place]]
