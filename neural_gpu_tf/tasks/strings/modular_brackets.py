"""The task of expressions in brackets modulo 5."""

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
class ModularBrackets(StringTask):
    """The value modulo 5 of an expression with brackets (`modular-brackets`).

        e = d | -d | (d) | (-d) | (e + e) | (e - e) | (e * e),  d a digit 0 … 4

    (1-(-2)) is 3, and (2*(1+3)) too. A random expression of 5 characters or more is a
    pair, the left one's length drawn evenly. (Deterministic context-free.)

    Hard inputs: a pair within a pair all the way, on the left, on the right, on either.
    """

    alphabet: ClassVar[str] = "01234+-()*"
    inner: ClassVar[tuple[str, str]] = (
        r"\((-?[0-4]|C)[-+*](-?[0-4]|C)\)|\(-?[0-4]\)",
        "C",
    )
    patterns: ClassVar[tuple[str, ...]] = (r"-?[0-4]|C",)

    def spec(self, text: str) -> str:
        return str(value_of(text))

    def draw_text(self, rng: np.random.Generator, length: int) -> str:
        return draw_expression(rng, length, "+-*")

    def hard_text(self, rng: np.random.Generator, length: int, index: int) -> str:
        return nested_expression(rng, length, "+-*", index % 3)
