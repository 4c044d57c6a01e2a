"""Expressions in which every operation stands in brackets."""

import numpy as np

MODULUS = 5


def draw_expression(rng: np.random.Generator, length: int, operators: str) -> str:
    """A random expression of `length` characters, 1 or more.

        e = d | -d | (d) | (-d) | (e o e),  d a digit 0 … 4, o one of `operators`

    One of 5 characters or more is a pair, the left one's length drawn evenly.
    """
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
            operator = operators[rng.integers(len(operators))]
            stack += [")", top - 3 - left, operator, left, "("]
        else:
            digit = str(rng.integers(MODULUS))
            form = [digit, f"-{digit}", f"({digit})", f"(-{digit})"][top - 1]
            written.append(form)
    return "".join(written)


def nested_expression(
    rng: np.random.Generator, length: int, operators: str, side: int
) -> str:
    """An expression of `length` characters with one pair in the other, all the way.

    A pair is a digit and all that is within: the digit on the right of it for side 0,
    on the left for 1, and on either for 2.
    """
    text = draw_expression(rng, (length - 1) % 4 + 1, operators)
    while len(text) < length:
        digit = str(rng.integers(MODULUS))
        operator = operators[rng.integers(len(operators))]
        to_the_left = bool(rng.integers(2)) if side == 2 else side == 1
        left, right = (digit, text) if to_the_left else (text, digit)
        text = f"({left}{operator}{right})"
    return text


def value_of(text: str, x: int = 0) -> int:
    """The value of an expression modulo 5; an x in it is `x`."""
    # Of every open bracket the value so far, and what becomes of the next number: by
    # what it is multiplied, and whether the product is a factor or a summand.
    opened: list[tuple[int, int, bool]] = []
    value, sign, factor = 0, 1, False
    for character in text:
        if character == "(":
            opened.append((value, sign, factor))
            value, sign, factor = 0, 1, False
        elif character == "-":
            sign = -sign
        elif character == "*":
            factor = True
        elif character != "+":
            if character == ")":
                number = value
                value, sign, factor = opened.pop()
            else:
                number = x if character == "x" else int(character)
            number *= sign
            value = (value * number if factor else value + number) % MODULUS
            sign, factor = 1, False
    return value
