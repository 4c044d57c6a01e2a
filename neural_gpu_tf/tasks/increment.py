"""The task of adding one to a number."""

import dataclasses

import numpy as np

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.tasks.digits import check_base, from_symbols, to_symbols
from neural_gpu_tf.tasks.task import Task


@dataclasses.dataclass(frozen=True)
class Increment(Task):
    """Adds one to a number of fixed width; all nines turn into zeros.

    1299 + 1, least significant digit first:

        column   0 1 2 3
        source   9 9 2 1
        target   0 0 3 1

    k digits lie on a canvas of k columns. Hard inputs: every other one ends in 1, 2,
    … up to all `bits` nines; between them 0, 1 and 10…0.

    Source: Kaiser & Sutskever (2016), `incr` in data_utils.py, where the base is the
    number of symbols; here it is 2, 4 or 10.
    """

    base: int = 10

    def __post_init__(self) -> None:
        check_base(self.name, self.base)

    @property
    def symbols(self) -> tuple[str, ...]:
        return ("_", *"0123456789"[: self.base])

    def columns(self, bits: int) -> int:
        return bits

    def spec(self, number: int, width: int) -> int:
        """The number of `width` digits that follows `number`."""
        return (number + 1) % self.base**width

    def read(self, text: str) -> bytes:
        digits = self.symbols[1:]
        if not text.strip():
            raise InputError(f"{self.name}: {text!r} is empty; write a number")
        for position, character in enumerate(text.rstrip(), 1):
            if character not in digits and text[:position].strip():
                raise InputError(
                    f"{self.name}: {text!r} has {character!r} at position {position}; "
                    f"its digits are 0 to {digits[-1]}"
                )
        return bytes(digits.index(c) + 1 for c in reversed(text.strip()))

    def draw(self, rng: np.random.Generator, length: int) -> bytes:
        return rng.integers(1, self.base + 1, length, np.uint8).tobytes()

    def hard_row(
        self, rng: np.random.Generator, bits: int, index: int, batch: int
    ) -> bytes:
        if index % 2:
            number = (0, 1, self.base ** (bits - 1))[index // 2 % 3]
            return to_symbols(number, self.base, bits)
        run, runs = index // 2, (batch + 1) // 2
        nines = run % bits + 1 if runs >= bits else bits - run * bits // runs
        return bytes([self.base]) * nines + self.draw(rng, bits - nines)

    def solve(self, row: bytes) -> bytes:
        answer = self.spec(from_symbols(row, self.base), len(row))
        return to_symbols(answer, self.base, len(row))

    def format_target(self, target: np.ndarray) -> str:
        return super().format_target(target)[::-1]
