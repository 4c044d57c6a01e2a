"""The copy task of the Neural Turing Machine."""

import dataclasses
from collections.abc import Sequence

import numpy as np

from neural_gpu_tf.tasks.list_task import ListTask


@dataclasses.dataclass(frozen=True)
class NtmCopy(ListTask):
    """Symbols, a delimiter, and then, behind it, the symbols again (`copy`).

        column   0 1 2 3 4 5 6
        source   3 a 1 # . . .
        target   . . . . 3 a 1

    A column is a time step of the paper: nothing is written before the delimiter was
    read. k symbols lie on a canvas of 2k + 1 columns. The paper copies random 8-bit
    vectors, 1 to 20 of them; here they are symbols. In human text the delimiter at
    the end may be left out.

    Source: Graves, Wayne & Danihelka (2014), Neural Turing Machines, §4.1.
    """

    values: int = 14

    @property
    def symbols(self) -> tuple[str, ...]:
        return (*super().symbols, "#")

    @property
    def delimiter(self) -> int:
        """The delimiter's symbol, the last one."""
        return self.values + 1

    def columns(self, bits: int) -> int:
        return 2 * bits + 1

    def elements(self, length: int) -> int:
        return (length - 1) // 2

    def extent(self, source: np.ndarray) -> np.ndarray:
        return np.maximum(2 * super().extent(source) - 1, 0)

    def spec(self, symbols: Sequence[int]) -> Sequence[int]:
        return symbols

    def read(self, text: str) -> bytes:
        return super().read(text.rstrip().removesuffix("#")) + self._end

    def draw(self, rng: np.random.Generator, length: int) -> bytes:
        return super().draw(rng, length) + self._end

    def hard_row(
        self, rng: np.random.Generator, bits: int, index: int, batch: int
    ) -> bytes:
        return super().hard_row(rng, bits, index, batch) + self._end

    def solve(self, row: bytes) -> bytes:
        return bytes(len(row)) + bytes(self.spec(row[:-1]))

    @property
    def _end(self) -> bytes:
        return bytes([self.delimiter])
