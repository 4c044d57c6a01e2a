"""The task of sums and products modulo 5."""

import dataclasses
from typing import ClassVar

import numpy as np

from neural_gpu_tf.tasks.strings.string_task import StringTask


@dataclasses.dataclass(frozen=True)
class ModularArithmetic(StringTask):
    """The value modulo 5 of an expression without brackets (`modular-arithmetic`).

    Products before sums: 1+2*3 is 2, 1-1-1 is 4. Questions have odd lengths. (Regular.)

    Hard inputs, of digits 1 … 4: one long product, one digit taken away again and
    again, and expressions of which three operators in four multiply.
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
        return self._expression(rng, length, "01234", "+-*")

    def hard_text(self, rng: np.random.Generator, length: int, index: int) -> str:
        digits = str(rng.integers(1, 5)) if index % 3 == 1 else "1234"
        operators = ["*", "-", "+-******"][index % 3]
        return self._expression(rng, length, digits, operators)

    def _expression(
        self, rng: np.random.Generator, length: int, digits: str, operators: str
    ) -> str:
        """Digits and operators in turn, each drawn evenly from its string."""
        numbers = self._any(rng, digits, length // 2 + 1)
        signs = self._any(rng, operators, length // 2)
        pairs = zip(signs, numbers[1:], strict=True)
        return numbers[0] + "".join(map("".join, pairs))
