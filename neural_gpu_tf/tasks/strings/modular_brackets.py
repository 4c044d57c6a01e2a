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
        return str(value_at(text, 0)[0] % 5)

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


def value_at(text: str, start: int, x: int = 0) -> tuple[int, int]:
    """The value of the expression that starts there, and where it ends; x is `x`."""
    if text[start] not in "(":
        sign = -1 if text[start] == "-" else 1
        place = start + (sign == -1)
        digit = x if text[place] == "x" else int(text[place])
        return sign * digit, place + 1
    # Brackets nest deeper than Python's recursion goes.
    values: list[tuple[int, int]] = []  # (sum so far, sign of what comes) of each open
    place, value = start, 0
    while True:
        if text[place] == "(":
            values.append((0, 1))
            place += 1
            continue
        value, place = value_at(text, place, x)
        while values and text[place] == ")":
            total, sign = values.pop()
            value = total + sign * value
            place += 1
        if not values:
            return value, place
        total, sign = values[-1]
        values[-1] = (total + sign * value, 1 if text[place] == "+" else -1)
        place += 1
