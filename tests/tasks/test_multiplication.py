"""Multiplication, checked by adding shifted rows as at school."""

import itertools
import time

import numpy as np
import pytest

from neural_gpu_tf.tasks import TASKS
from neural_gpu_tf.tasks.multiplication import least_factor


def school_product(first, second, base, length):
    """Products of digits [N, width], as digits [N, length]."""
    total = np.zeros((len(first), length), np.int64)
    width = second.shape[1]
    for column in range(first.shape[1]):
        total[:, column : column + width] += first[:, column, None] * second
    for column in range(length - 1):
        total[:, column + 1] += total[:, column] // base
        total[:, column] %= base
    assert (total[:, -1] < base).all()
    return total


def all_pairs(base, width):
    digits = itertools.product(range(base), repeat=2 * width)
    digits = np.array(list(digits))
    return digits[:, :width], digits[:, width:]


CASES = [
    *[("bmul", 2, width) for width in range(1, 7)],
    *[("qmul", 4, width) for width in range(1, 4)],
    *[("mul", 10, width) for width in range(1, 3)],
]


@pytest.mark.parametrize(("name", "base", "width"), CASES)
def test_all_operands(name, base, width):
    task = TASKS[name]
    first, second = all_pairs(base, width)
    sign = np.full((len(first), 1), task.separator)
    source = np.concatenate([first + 1, sign, second + 1], axis=1)
    length = 2 * width + 1
    assert task.canvas(width) == length
    expected = school_product(first, second, base, length) + 1
    np.testing.assert_array_equal(task.target(source), expected)


@pytest.mark.parametrize("name", ["bmulz", "qmulz", "mulz", "bmule", "qmule", "mule"])
def test_other_layouts_give_the_same_products(name):
    plain, task = TASKS[name[:-1]], TASKS[name]
    source, _ = plain.generate(np.random.default_rng(0), 13, 300)
    for text in map(plain.format, source):
        assert task.answer(text) == plain.answer(text)


@pytest.mark.parametrize(("name", "base"), [("bmul", 2), ("qmul", 4), ("mul", 10)])
def test_long_products(name, base):
    source, target = TASKS[name].generate(np.random.default_rng(0), 1201, 5)
    first, second = source[:, :600] - 1, source[:, 601:] - 1
    expected = school_product(first, second, base, 1201) + 1
    np.testing.assert_array_equal(target, expected)


@pytest.mark.parametrize("name", ["bmul", "qmul", "mul"])
def test_a_hundred_products_of_2000_digits_are_quick(name):
    start = time.perf_counter()
    TASKS[name].generate(np.random.default_rng(0), 4001, 100)
    assert time.perf_counter() - start < 2


@pytest.mark.parametrize("name", ["bmul", "qmul", "mul", "mulbcd", "bmule"])
def test_hard_products(name):
    task, bits = TASKS[name], 12
    base, top = task.base, task.base**bits - 1
    source, target = task.hard(np.random.default_rng(0), bits, 72)
    numbers = [task.numbers(row) for row in source]
    half = base ** (bits - 1)
    for pair in [(half, half), (2, 2), (top, top)]:
        assert pair in numbers
    assert any(a == b and a not in (half, 2, top) for a, b in numbers)
    for special in (0, 1, top):
        assert any(special in pair and len(set(pair)) == 2 for pair in numbers)
    products = [int(task.format_target(row), base) for row in target]
    assert products == [a * b for a, b in numbers]


@pytest.mark.parametrize(("name", "bits"), [("bmul", 20), ("qmul", 12), ("mul", 6)])
def test_every_other_hard_product_has_a_run_of_equal_digits(name, bits):
    task = TASKS[name]
    source, target = task.hard(np.random.default_rng(0), bits, 4 * bits)
    short, ends, places = 0, set(), set()
    for index, row in enumerate(target[::2]):
        runs, place = [(0, 0, 0)], 0
        for symbol, same in itertools.groupby(row[: 2 * bits].tolist()):
            length = len(list(same))
            if symbol - 1 in (0, task.base - 1):
                runs.append((length, symbol - 1, place))
            place += length
        length, digit, place = max(runs)
        short += length < index % bits + 1
        if length > bits // 2:
            ends.add(digit)
            places.add(place)
    assert short <= bits // 5  # there is not always a pair with so long a one
    assert ends == {0, task.base - 1}
    assert len(places) > 2
    assert len({bytes(row) for row in source[::2]}) == 2 * bits


def test_least_factor():
    for modulus in range(1, 24):
        for x in range(modulus + 3):
            for low, high in itertools.combinations_with_replacement(range(modulus), 2):
                fits = (y for y in range(modulus) if low <= x * y % modulus <= high)
                assert least_factor(x, modulus, low, high) == next(fits, None)
