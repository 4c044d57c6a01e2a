"""The task of sums in brackets modulo 5."""

import dataclasses
from typing import ClassVar

import numpy as np

from neural_gpu_tf.tasks.strings.string_task import StringTask


@dataclasses.dataclass(frozen=True)
class ModularBrackets(StringTask):
    """The value modulo 5 of an expression with brackets (`modular-brackets`).

        e = d | -d | (d) | (-d) | (e + e) | (e - e),  d a digit 0 … 4

    (1-(-2)) is 3. A random expression of 5 characters or more is a pair, the left
    one's length drawn evenly. (Deterministic context-free.)
    """

    alphabet: ClassVar[str] = "01234+-()"
    inner: ClassVar[tuple[str, str]] = (
        r"\((-?[0-4]|C)[-+](-?[0-4]|C)\)|\(-?[0-4]\)",
        "C",
    )
    patterns: ClassVar[tuple[str, ...]] = (r"-?[0-4]|C",)

    def spec(self, text: str) -> str:
        return str(value_of(text) % 5)

    def draw_text(self, rng: np.random.Generator, length: int) -> str:
        # From left to right with a stack of what is still to be written: a string, or
        # an expression of so many characters.
        written: list[str] = []
        stack: list[str | int] = [length]
        while stack:
            top = stack.pop()
            if isinstance(top, str):
                written.append(top)
            elif top >= 5:
                left = int(rng.integers(1, top - 3))
                operator = "+-"[rng.integers(2)]
                stack += [")", top - 3 - left, operator, left, "("]
            else:
                digit = str(rng.integers(5))
                form = [digit, f"-{digit}", f"({digit})", f"(-{digit})"][top - 1]
                written.append(form)
        return "".join(written)


def value_of(text: str, x: int = 0) -> int:
    """The value of an expression of `ModularBrackets`; an x in it is `x`."""
    total, sign, brackets = 0, 1, [1]  # of what comes, within the open brackets' signs
    for character in text:
        if character == "(":
            brackets.append(brackets[-1] * sign)
            sign = 1
        elif character == ")":
            brackets.pop()
        elif character == "-":
            sign = -sign
        elif character != "+":
            total += brackets[-1] * sign * (x if character == "x" else int(character))
            sign = 1
    return total
