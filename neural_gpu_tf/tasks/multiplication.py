"""Multiplication of numbers of any length."""

import dataclasses
import math
from typing import ClassVar

import numpy as np

from neural_gpu_tf.constants import TIMES
from neural_gpu_tf.tasks.number_task import NumberTask, length_in_turn


@dataclasses.dataclass(frozen=True)
class Multiplication(NumberTask):
    """Multiplication of two or more numbers.

    6 × 3 in binary, least significant bit first:

        column   0 1 2 3 4 5 6
        source   0 1 1 * 1 1 0
        target   0 1 0 0 1 0 0

    Hard inputs: every other one is a random pair whose product has 1, 2, … up to all
    `bits` zeros, or highest digits, in a row, at a random place: there a carry travels,
    or does not. (Where no pair with so many is found, fewer.) Between them, in turns,
    10…0 × 10…0, 0…02 × 0…02, all highest digits, equal operands, all highest digits ×
    x, a power of the base × x, 0 × x, 1 × x, …1010 × the same moved by a digit.
    Operands beyond the second are 1. The order of the operands is random.

    Source: Kaiser & Sutskever (2016), Freivalds & Liepins (2017), and, for the hard
    inputs but those with runs, Price, Zaremba & Sutskever (2016).
    """

    operator: ClassVar[str] = TIMES[0]
    signs: ClassVar[str] = TIMES[1:]

    def spec(self, *operands: int) -> int:
        return math.prod(operands)

    def hard_operands(
        self, rng: np.random.Generator, bits: int, index: int, batch: int
    ) -> tuple[int, ...]:
        if index % 2 == 0:
            length = length_in_turn(index // 2, (batch + 1) // 2, bits)
            pair = self._with_run(rng, bits, length)
            return self._in_any_order(rng, [*pair] + [1] * (self.operands - 2))
        base, top = self.base, self.base**bits - 1
        x = self._any(rng, bits)
        stripes = top // (base**2 - 1)
        pair = [
            (base ** (bits - 1), base ** (bits - 1)),
            (min(2, top), min(2, top)),
            (top, top),
            (x, x),
            (top, x),
            (base ** int(rng.integers(bits)), x),
            (0, x),
            (1, x),
            (stripes, min(stripes * base, top)),
        ][index // 2 % 9]
        return self._in_any_order(rng, [*pair] + [1] * (self.operands - 2))

    def _with_run(
        self, rng: np.random.Generator, bits: int, length: int
    ) -> tuple[int, int]:
        """Two numbers whose product has `length` zeros or highest digits in a row."""
        while True:
            for start in (*(self._any(rng, bits) for _ in range(3)), 0):
                x = self._any(rng, bits)
                place = int(rng.integers(2 * bits - length + 1))
                modulus = self.base ** (place + length)
                run = (self.base**length - 1) * self.base**place * int(rng.integers(2))
                low = (run - x * start) % modulus
                high = low + self.base**place - 1
                more = 0 if high >= modulus else least_factor(x, modulus, low, high)
                if more is not None and start + more < self.base**bits:
                    return x, start + more
            length -= 1


def least_factor(x: int, modulus: int, low: int, high: int) -> int | None:
    """The least y ≥ 0 with low ≤ x y mod modulus ≤ high, or None.

    For 0 ≤ low ≤ high < modulus; in the steps of Euclid's algorithm. If no multiple of
    x itself lies between, then x y - modulus z does for the least z with -high mod x ≤
    modulus z mod x ≤ -low mod x.
    """
    above = []
    x %= modulus
    while low > 0:
        if x == 0:
            return None
        y = -(-low // x)
        if x * y <= high:
            break
        above.append((x, modulus, low))
        x, modulus, low, high = modulus % x, x, -high % x, -low % x
    else:
        y = 0
    for x, modulus, low in reversed(above):
        y = -(-(low + modulus * y) // x)
    return y
