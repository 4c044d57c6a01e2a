"""The task of sorting pairs by their keys."""

import dataclasses
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from neural_gpu_tf.tasks.list_task import ListTask


@dataclasses.dataclass(frozen=True)
class KeyValueSort(ListTask):
    """Pairs of key and value, sorted by key; equal keys keep their order (`kvsort`).

        column   0 1 2 3 4 5
        source   b 3 a 1 b 2
        target   a 1 b 3 b 2

    k pairs lie on a canvas of 2k columns. Hard inputs: the keys are those of a hard
    list (all equal, sorted, reversed, …), the values random.
    """

    group: ClassVar[int] = 2

    def spec(self, symbols: Sequence[int]) -> Sequence[int]:
        pairs = zip(symbols[0::2], symbols[1::2], strict=True)
        ordered = sorted(pairs, key=lambda pair: pair[0])
        return [symbol for pair in ordered for symbol in pair]

    def hard_row(
        self, rng: np.random.Generator, bits: int, index: int, batch: int
    ) -> bytes:
        row = bytearray(self._any(rng, 2 * bits))
        row[0::2] = self._hard_list(rng, bits, index)
        return bytes(row)
