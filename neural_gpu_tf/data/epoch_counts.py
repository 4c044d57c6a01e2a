"""What became of an epoch's pairs."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np


class EpochCounts(NamedTuple):
    """Every pair of an epoch is counted in exactly one of trained, empty, long, left.

    `str` gives the line for the log.
    """

    epoch: int
    trained: int  # in batches
    empty: int  # the source or the target has no symbol
    long: int  # need a larger canvas than max_length
    left: int  # left over in buckets, not a full batch
    batches: int
    max_length: int

    @classmethod
    def from_sizes(
        cls, epoch: int, histogram: np.ndarray, table: Sequence[tuple[int, int]]
    ) -> "EpochCounts":
        """Counts from how many pairs have size 0 (empty), 1, ..., n, and more."""
        trained, left, batches, start = 0, 0, 0, 1
        for size, batch in table:
            pairs = int(histogram[start : size + 1].sum())
            batches += pairs // batch
            trained += pairs - pairs % batch
            left += pairs % batch
            start = size + 1
        return cls(
            epoch=epoch,
            trained=trained,
            empty=int(histogram[0]),
            long=int(histogram[start:].sum()),
            left=left,
            batches=batches,
            max_length=table[-1][0],
        )

    def __str__(self) -> str:
        total = self.trained + self.empty + self.long + self.left
        return (
            f"epoch {self.epoch}: {self.trained} of {total} pairs in {self.batches} "
            f"batches; skipped {self.empty} with an empty side and {self.long} longer "
            f"than {self.max_length} symbols; {self.left} left over, no full batch"
        )
