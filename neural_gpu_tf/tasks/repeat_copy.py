"""The repeat copy task of the Neural Turing Machine."""

import dataclasses
from collections.abc import Sequence

import numpy as np

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.tasks.digits import from_symbols, to_symbols
from neural_gpu_tf.tasks.list_task import ListTask

_MOST_REPEATS = 9999


@dataclasses.dataclass(frozen=True)
class RepeatCopy(ListTask):
    """Symbols, a delimiter, a count, and then the symbols that many times.

    An end marker, the delimiter again, follows the last copy:

        column   0 1 2 3 4 5 6 7 8 9 10 11
        source   3 a 1 # 2 . . . . . .  .
        target   . . . . . 3 a 1 3 a 1  #

    The count is decimal, least significant digit first, in the symbols 0 to 9; the
    paper feeds it as one number. A column is a time step. k symbols, r times, lie on
    a canvas of k · (r + 1) + 2 columns and as many more as r has digits. `generate`
    draws the count evenly, 1 to `repeats` (as far as the length has room for it),
    and takes as many symbols as fit. Human text: "3a1#2".

    Hard inputs: a hard list `repeats` times, and, every third one, once.

    Source: Graves, Wayne & Danihelka (2014), Neural Turing Machines, §4.2, where
    sequences have 1 to 10 vectors and 1 to 10 repeats.

    Attributes:
        repeats: the highest count that `generate` draws.
    """

    values: int = 14
    repeats: int = 10

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.values < 10 or not 1 <= self.repeats <= _MOST_REPEATS:
            raise InputError(
                f"{self.name}: {self.values} symbols and {self.repeats} repeats; at "
                f"least 10 symbols, 1 to {_MOST_REPEATS} repeats"
            )

    @property
    def symbols(self) -> tuple[str, ...]:
        return (*super().symbols, "#")

    @property
    def delimiter(self) -> int:
        """The delimiter's symbol, the last one."""
        return self.values + 1

    @property
    def minimum_length(self) -> int:
        return int(self.with_blank(self._columns(1, 1)))

    def columns(self, bits: int) -> int:
        return self._columns(bits, self.repeats)

    def extent(self, source: np.ndarray) -> np.ndarray:
        rows = np.asarray(source, np.uint8)
        sizes = [self._row_size(bytes(row)) for row in rows.reshape(-1, rows.shape[-1])]
        return np.array(sizes, np.int32).reshape(rows.shape[:-1])

    def spec(self, symbols: Sequence[int], count: int) -> Sequence[int]:
        return list(symbols) * count

    def read(self, text: str) -> bytes:
        head, mark, tail = text.partition("#")
        digits = tail.strip()
        if not mark or not digits:
            raise InputError(
                f"{self.name}: {text!r} has no repeat count; write it behind a '#': "
                '"3a1#2"'
            )
        symbols = super().read(head)
        for offset, character in enumerate(digits):
            if character not in "0123456789":
                position = len(text) - len(tail.lstrip()) + offset + 1
                raise InputError(
                    f"{self.name}: the count of {text!r} has {character!r} at "
                    f"position {position}; its digits are 0 to 9"
                )
        digits = digits.lstrip("0")
        if not digits or len(digits) > len(str(_MOST_REPEATS)):
            raise InputError(
                f"{self.name}: {text!r} repeats {digits[:8] or 0} times; 1 to "
                f"{_MOST_REPEATS} are possible"
            )
        return self._row(symbols, int(digits))

    def draw(self, rng: np.random.Generator, length: int) -> bytes:
        counts = range(1, self.repeats + 1)
        possible = [c for c in counts if self._columns(1, c) <= length]
        count = possible[rng.integers(len(possible))]
        room = length - self._columns(0, count)
        return self._row(self._any(rng, room // (count + 1)), count)

    def hard_row(
        self, rng: np.random.Generator, bits: int, index: int, batch: int
    ) -> bytes:
        count = 1 if index % 3 == 2 else self.repeats
        return self._row(self._hard_list(rng, bits, index), count)

    def solve(self, row: bytes) -> bytes:
        symbols, count = self._decode(row)
        end = bytes([self.delimiter])
        return bytes(len(row)) + bytes(self.spec(symbols, count)) + end

    def format(self, source: np.ndarray) -> str:
        symbols, count = self._decode(bytes(np.asarray(source, np.uint8)))
        names = self.symbols
        return "".join(names[symbol] for symbol in symbols) + f"#{count}"

    def _columns(self, symbols: int, count: int) -> int:
        return symbols * (count + 1) + len(str(count)) + 2

    def _row(self, symbols: bytes, count: int) -> bytes:
        return symbols + bytes([self.delimiter]) + to_symbols(count, 10)

    def _decode(self, row: bytes) -> tuple[bytes, int]:
        symbols, _, count = row.rstrip(b"\0").partition(bytes([self.delimiter]))
        return symbols, from_symbols(count, 10)

    def _row_size(self, row: bytes) -> int:
        symbols, count = self._decode(row)
        return self._columns(len(symbols), count) if count else 0
