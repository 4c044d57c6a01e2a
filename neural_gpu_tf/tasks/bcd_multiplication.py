"""Decimal multiplication in binary-coded decimal."""

import dataclasses
from typing import ClassVar

import numpy as np

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.tasks.multiplication import Multiplication

_END, _SEPARATOR = 2, 5


@dataclasses.dataclass(frozen=True)
class BcdMultiplication(Multiplication):
    """Decimal multiplication, each digit spelled as four bits.

    Least significant digit first, in it the least significant bit first; the fourth
    bit of a digit is `o` or `i` for 0 or 1, so that digits can be told apart. 7 × 8:

        column   0 1 2 3 4 5 6 7 8
        source   1 1 1 o * 0 0 0 i
        target   0 1 1 o 1 0 1 o .        56

    k-digit operands lie on a canvas of 8k + 1 columns; their product has 2k digits,
    so the last column is blank. Six symbols: PAD 0 1 o i *.

    Source: Freivalds & Liepins (2017), `mulbcd` in data_utils_2.py.
    """

    base: int = 10

    cells: ClassVar[int] = 4

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.base != 10 or self.layout == "aligned":
            raise InputError(
                f"{self.name}: base {self.base} and layout {self.layout}; only base "
                "10 and layouts other than aligned are possible"
            )

    @property
    def symbols(self) -> tuple[str, ...]:
        return ("_", "0", "1", "o", "i", "*")

    @property
    def separator(self) -> int:
        return _SEPARATOR

    def spell(self, digits: bytes) -> bytes:
        values = np.frombuffer(digits, np.uint8)[:, None] - 1
        bits = (values >> np.arange(4, dtype=np.uint8)) & 1
        return (bits + np.array([1, 1, 1, 1 + _END], np.uint8)).tobytes()

    def unspell(self, row: bytes) -> bytes:
        """Groups of four bits to digit symbols; 11 for what is no digit."""
        digits = bytearray()
        for start in range(0, len(row), 4):
            first, last = row[start : start + 3], row[start + 3 : start + 4]
            whole = set(first) <= {1, 2} and last in (b"\x03", b"\x04")
            value = sum((s - 1) << i for i, s in enumerate(first))
            value += 8 * (last == b"\x04")
            digits.append(value + 1 if whole and value < 10 else 11)
        return bytes(digits)

    def digit_names(self, row: bytes) -> str:
        return "".join("_0123456789?"[symbol] for symbol in row)
