"""Addition of numbers of any length."""

import dataclasses
from typing import ClassVar

import numpy as np

from neural_gpu_tf.tasks.digits import from_symbols, to_symbols
from neural_gpu_tf.tasks.number_task import NumberTask, length_in_turn


@dataclasses.dataclass(frozen=True)
class Addition(NumberTask):
    """Addition of two or more numbers.

    6 + 3 in binary, least significant bit first, and 6 + 3 + 7:

        column   0 1 2 3 4 5 6            0 1 2 3 4 5 6 7 8 9 10
        source   0 1 1 + 1 1 0            0 1 1 + 1 1 0 + 1 1 1
        target   1 0 0 1 0 0 0            0 0 0 0 1 0 0 0 0 0 0

    Hard inputs: every other one is a chain of 1, 2, … up to all `bits` columns, at a
    random place, that a carry travels through: in turns of 0…0111 + 0…0001 and of
    digits that add up to the highest digit, in any order, among random ones; of the
    latter every second chain, by chance, has no carry to hand on. A quarter are x and
    its complement with some digits drawn anew: one in 1 to `bits`, the logarithm of
    that even (many chains of all lengths, with a carry and without). Between them, x
    and its complement (the sum is a power of the base, or, one less, has no carry at
    all), all highest digits, equal operands, all highest digits + 1, 0 + x, and
    10…0 + 10…0.
    A third operand is 0 in a carry chain and, with all highest digits and equal
    operands, one more of the same. The order of the operands is random.

    Source: Kaiser & Sutskever (2016) and its data_utils.py; hard inputs after Price,
    Zaremba & Sutskever (2016), plots/carries.py and `ToughAddGenerator`.
    """

    operator: ClassVar[str] = "+"
    signs: ClassVar[str] = ""

    def spec(self, *operands: int) -> int:
        return sum(operands)

    def hard_operands(
        self, rng: np.random.Generator, bits: int, index: int, batch: int
    ) -> tuple[int, ...]:
        base, top = self.base, self.base**bits - 1
        more = self.operands - 2
        if index % 2 == 0:
            length = length_in_turn(index // 4, (batch + 3) // 4, bits)
            place = int(rng.integers(bits - length + 1))
            if index % 4 == 0:
                numbers = [(base**length - 1) * base**place, base**place]
            else:
                numbers = self._chain(rng, bits, length, place)
            numbers += [0] * more
        elif index % 4 == 3:
            x = self._any(rng, bits)
            numbers = [x, self._nearly(rng, top - x, bits)] + [0] * more
        else:
            x = self._any(rng, bits)
            numbers = [
                [max(x, 1), top + 1 - max(x, 1)] + [0] * more,
                [x, top - x] + [0] * more,
                [top, top] + [top] * more,
                [x, x] + [x] * more,
                [top, 1] + [0] * more,
                [0, x] + [0] * more,
                [base ** (bits - 1)] * (2 + more),
            ][index // 4 % 7]
        return self._in_any_order(rng, numbers)

    def _chain(
        self, rng: np.random.Generator, bits: int, length: int, place: int
    ) -> list[int]:
        """Two numbers with a chain of `length` columns from column `place` on.

        The first column makes a carry or, in every second pair, does not; the others
        hand on what comes.
        """
        first, second = rng.integers(0, self.base, (2, bits))
        chain = slice(place + 1, place + length)
        second[chain] = self.base - 1 - first[chain]
        if rng.random() < 0.5:
            first[place] = rng.integers(1, self.base)
            second[place] = rng.integers(self.base - first[place], self.base)
        else:
            first[place] = rng.integers(0, self.base - 1)
            second[place] = rng.integers(0, self.base - 1 - first[place])
        return [
            from_symbols((digits + 1).astype(np.uint8).tobytes(), self.base)
            for digits in (first, second)
        ]

    def _nearly(self, rng: np.random.Generator, number: int, bits: int) -> int:
        """The number with one digit in 1 to `bits` drawn anew."""
        digits = np.frombuffer(to_symbols(number, self.base, bits), np.uint8).copy()
        places = rng.random(bits) < bits ** -rng.random()
        digits[places] = rng.integers(1, self.base + 1, places.sum())
        return from_symbols(digits.tobytes(), self.base)
