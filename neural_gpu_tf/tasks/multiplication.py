"""Multiplication of numbers of any length."""

import dataclasses
import math
from typing import ClassVar

import numpy as np

from neural_gpu_tf.tasks.number_task import NumberTask


@dataclasses.dataclass(frozen=True)
class Multiplication(NumberTask):
    """Multiplication of two or more numbers.

    6 × 3 in binary, least significant bit first:

        column   0 1 2 3 4 5 6
        source   0 1 1 * 1 1 0
        target   0 1 0 0 1 0 0

    Hard inputs take turns: 10…0 × 10…0, 0…02 × 0…02, all highest digits, equal
    operands, all highest digits × x, a power of the base × x, 0 × x, 1 × x, 1010… ×
    0101…. Operands beyond the second are 1. The order of the operands is random.

    Source: Kaiser & Sutskever (2016), Freivalds & Liepins (2017), and, for the hard
    inputs, Price, Zaremba & Sutskever (2016).
    """

    operator: ClassVar[str] = "*"
    signs: ClassVar[str] = "×·"

    def spec(self, *operands: int) -> int:
        return math.prod(operands)

    def hard_operands(
        self, rng: np.random.Generator, bits: int, index: int, batch: int
    ) -> tuple[int, ...]:
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
        ][index % 9]
        numbers = list(pair) + [1] * (self.operands - 2)
        return tuple(numbers[i] for i in rng.permutation(len(numbers)))
