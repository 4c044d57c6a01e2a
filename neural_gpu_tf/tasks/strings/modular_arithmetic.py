"""The task of sums and products modulo 5."""

import dataclasses
from typing import ClassVar

import numpy as np

from neural_gpu_tf.tasks.strings.string_task import StringTask


@dataclasses.dataclass(frozen=True)
class ModularArithmetic(StringTask):
    """The value modulo 5 of an expression without brackets (`modular-arithmetic`).

    Products before sums: 1+2*3 is 2, 1-1-1 is 4. Questions have odd lengths. (Regular.)
    """

    alphabet: ClassVar[str] = "01234+-*"
    step: ClassVar[int] = 2
    patterns: ClassVar[tuple[str, ...]] = (r"[0-4]([-+*][0-4])*",)

    def spec(self, text: str) -> str:
        value, sign, product = 0, 1, int(text[0])
        for operator, digit in zip(text[1::2], text[2::2], strict=True):
            if operator == "*":
                product = product * int(digit) % 5
            else:
                value += sign * product
                sign, product = (1 if operator == "+" else -1), int(digit)
        return str((value + sign * product) % 5)

    def draw_text(self, rng: np.random.Generator, length: int) -> str:
        digits = self._any(rng, "01234", length // 2 + 1)
        operators = self._any(rng, "+-*", length // 2)
        return digits[0] + "".join(
            map("".join, zip(operators, digits[1:], strict=True))
        )
