"""Decimal multiplication in binary-coded decimal."""

import itertools

import numpy as np
import pytest

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.tasks import TASKS, BcdMultiplication

TASK = TASKS["mulbcd"]


def coded(text):
    """Decimal text to cells, least significant first, from a table."""
    table = "000o 100o 010o 110o 001o 101o 011o 111o 000i 100i".split()
    return "".join(table[int(digit)] for digit in reversed(text))


def names(symbols):
    return "".join(TASK.symbols[symbol] for symbol in symbols)


@pytest.mark.parametrize("width", [1, 2])
def test_all_operands(width):
    for a, b in itertools.product(range(10**width), repeat=2):
        first, second = str(a).zfill(width), str(b).zfill(width)
        source = TASK.parse(f"{first} * {second}")
        assert names(source) == coded(first) + "*" + coded(second)
        assert len(source) == TASK.canvas(width) == 8 * width + 1
        target = TASK.target(source[None])[0]
        assert names(target) == coded(str(a * b).zfill(2 * width)) + "_"
        assert TASK.format_target(target) == str(a * b)


def test_what_is_no_digit_is_marked():
    output = [TASK.symbols.index(name) for name in "110o010i11_"]
    assert TASK.format_target(np.array(output)) == "??3"


def test_wrong_choices():
    for choice in ({"base": 2}, {"layout": "aligned"}):
        with pytest.raises(InputError, match="only base 10 and layouts other"):
            BcdMultiplication("x", **choice)
