"""The task of solving an equation modulo 5."""

import dataclasses
from typing import ClassVar

import numpy as np

from neural_gpu_tf.tasks.strings.bracketed_expression import (
    draw_expression,
    nested_expression,
    value_of,
)
from neural_gpu_tf.tasks.strings.string_task import StringTask


@dataclasses.dataclass(frozen=True)
class SolveEquation(StringTask):
    """The x that solves an equation modulo 5 (`solve-equation`).

    The left side is an expression of `ModularBrackets`, without products, with x in
    the place of one digit, the right side a digit: (x+4)=2 has x = 3. Every such
    equation has one solution. (Deterministic context-free.)

    Hard inputs: a pair within a pair all the way, on the left, on the right, on either,
    and random expressions; x is a digit within the most pairs in these, and in every
    other one of the nested.
    """

    alphabet: ClassVar[str] = "01234+-()x="
    shortest: ClassVar[int] = 3
    inner: ClassVar[tuple[str, str]] = (
        r"\((-?[0-4x]|C)[-+](-?[0-4x]|C)\)|\(-?[0-4x]\)",
        "C",
    )
    patterns: ClassVar[tuple[str, ...]] = (
        r"[^x]*x[^x]*",
        r"(-?[0-4x]|C)=[0-4]",
    )

    def spec(self, text: str) -> str:
        left, right = text.split("=")
        return next(str(x) for x in range(5) if value_of(left, x) == int(right))

    def draw_text(self, rng: np.random.Generator, length: int) -> str:
        return self._equation(rng, draw_expression(rng, length - 2, "+-"))

    def hard_text(self, rng: np.random.Generator, length: int, index: int) -> str:
        side = index % 4
        if side == 3:
            text = draw_expression(rng, length - 2, "+-")
        else:
            text = nested_expression(rng, length - 2, "+-", side)
        return self._equation(rng, text, deepest=side == 3 or index % 8 > 3)

    @staticmethod
    def _equation(rng: np.random.Generator, text: str, deepest: bool = False) -> str:
        """An expression, one of its digits hidden, and its value."""
        value = value_of(text)
        place = int(rng.integers(len(text)))
        hidable = np.array([character.isdecimal() for character in text])
        if deepest:
            depth = np.cumsum([(x == "(") - (x == ")") for x in text])
            hidable &= depth == depth[hidable].max()
        while not hidable[place]:
            place = (place + 1) % len(text)
        return f"{text[:place]}x{text[place + 1 :]}={value}"
