"""Addition, checked by adding columns as at school."""

import dataclasses
import itertools

import numpy as np
import pytest

from neural_gpu_tf.tasks import TASKS, Addition, carry_length
from neural_gpu_tf.tasks.digits import to_symbols


def all_numbers(base, width):
    """Every number of `width` digits, least significant first: [base**width, width]."""
    digits = itertools.product(range(base), repeat=width)
    return np.array(list(digits)).reshape(-1, width)[:, ::-1]


def school_sum(columns, base, length):
    """Sums of digits [N, operands, width], as digits [N, length]."""
    carry, digits = 0, []
    for column in range(length):
        inside = column < columns.shape[2]
        total = carry + (columns[:, :, column].sum(axis=1) if inside else 0)
        digits.append(np.broadcast_to(total % base, len(columns)))
        carry = total // base
    assert not np.any(carry)
    return np.stack(digits, axis=1)


def all_tuples(base, width, operands):
    numbers = all_numbers(base, width)
    indices = list(itertools.product(range(len(numbers)), repeat=operands))
    return numbers[np.array(indices)]


CASES = [
    *[("badd", 2, 2, width) for width in range(1, 7)],
    *[("qadd", 4, 2, width) for width in range(1, 4)],
    *[("add", 10, 2, width) for width in range(1, 3)],
    *[("3badd", 2, 3, width) for width in range(1, 5)],
    ("3qadd", 4, 3, 2),
    ("3add", 10, 3, 1),
]


@pytest.mark.parametrize(("name", "base", "operands", "width"), CASES)
def test_all_operands(name, base, operands, width):
    task = TASKS[name]
    columns = all_tuples(base, width, operands)
    length = operands * (width + 1) - 1
    assert task.canvas(width) == length
    source = np.full((len(columns), length), task.separator)
    for index in range(operands):
        start = index * (width + 1)
        source[:, start : start + width] = columns[:, index] + 1
    expected = school_sum(columns, base, length) + 1
    np.testing.assert_array_equal(task.target(source), expected)
    assert (task.size(source) == length).all()


@pytest.mark.parametrize(("name", "base"), [("badde", 2), ("qadde", 4), ("adde", 10)])
def test_all_aligned_operands(name, base):
    task = TASKS[name]
    columns = all_tuples(base, 2, 2)
    pairs = {pair: task.symbols.index(pair, 17) for pair in task.symbols[17:]}
    source = np.zeros((len(columns), 5), int)
    for row, (first, second) in zip(source, columns, strict=True):
        row[:2] = [pairs[f"{a}{b}"] for a, b in zip(first, second, strict=True)]
    source[:, 2] = task.separator
    expected = school_sum(columns, base, 5) + 1
    np.testing.assert_array_equal(task.target(source), expected)
    assert (task.size(source) == 5).all()


def test_all_bare_operands():
    task = TASKS["baddz"]
    for first, second in itertools.product(range(32), repeat=2):
        source = task.parse(f"{first:b} + {second:b}")
        assert task.size(source) == len(f"{first:b}+{second:b}")
        target = task.target(source[None])[0]
        digits = [symbol - 1 for symbol in target if symbol]
        assert digits == [int(digit) for digit in f"{first + second:b}"[::-1]]
        assert not target[len(digits) :].any()


def test_operands_of_different_width():
    task = dataclasses.replace(TASKS["badd"], balanced=False)
    for first, second in itertools.product(range(1, 5), repeat=2):
        for a, b in itertools.product(all_numbers(2, first), all_numbers(2, second)):
            source = np.concatenate([a + 1, [task.separator], b + 1])
            wide = np.zeros((1, 2, 4), int)
            wide[0, 0, :first], wide[0, 1, :second] = a, b
            expected = school_sum(wide, 2, 9)[0, : len(source)] + 1
            np.testing.assert_array_equal(task.target(source[None])[0], expected)


@pytest.mark.parametrize(("name", "base"), [("badd", 2), ("qadd", 4), ("add", 10)])
def test_long_sums(name, base):
    source, target = TASKS[name].generate(np.random.default_rng(0), 4001, 20)
    columns = np.stack([source[:, :2000], source[:, 2001:]], axis=1) - 1
    np.testing.assert_array_equal(target, school_sum(columns, base, 4001) + 1)


@pytest.mark.parametrize("name", ["badd", "add", "3badd", "badde", "baddz"])
def test_hard_sums_carry_through_every_length(name):
    task, bits = TASKS[name], 30
    source, target = task.hard(np.random.default_rng(0), bits, 4 * bits)
    numbers = [task.numbers(row) for row in source]
    pure = [carry_length(*row, base=task.base) for row in numbers[::4]]
    assert pure == list(range(1, bits + 1))
    mixed = [carry_length(*row, base=task.base) for row in numbers[2::4]]
    carried = [found >= length for length, found in enumerate(mixed, start=1)]
    assert 8 < sum(carried) < 26 and max(mixed[: bits // 2]) < bits
    top = task.base**bits - 1
    assert any(set(row) == {top} for row in numbers)
    assert any(len(set(row)) == 1 and row[0] not in (0, top) for row in numbers)
    assert any(sorted(row)[-2:] == [1, top] for row in numbers)
    assert any(sum(row) == top for row in numbers)
    assert any(sum(row) == top + 1 for row in numbers[1::4])
    assert any(set(row) == {task.base ** (bits - 1)} for row in numbers)
    for row, answer in zip(numbers, target, strict=True):
        digits = [symbol - 1 for symbol in answer.tolist() if symbol]
        assert sum(d * task.base**k for k, d in enumerate(digits)) == sum(row)


def test_hard_sums_spread_the_carries_in_a_small_batch():
    task = TASKS["badd"]
    source, _ = task.hard(np.random.default_rng(0), 2000, 20)
    lengths = [carry_length(*task.numbers(row)) for row in source[::4]]
    assert lengths == list(range(2000, 0, -400))


@pytest.mark.parametrize("base", [2, 10])
def test_some_chains_are_of_digits_in_any_order_with_a_carry_or_without(base):
    task, bits = Addition("sum", base=base), 40
    source, _ = task.hard(np.random.default_rng(0), bits, 4 * bits)
    first, second = np.split(source[2::4, np.arange(2 * bits + 1) != bits] - 1, 2, 1)
    sums = first.astype(int) + second
    for length, row in enumerate(sums, start=1):
        places = [row[k + 1 : k + length] for k in range(bits - length + 1)]
        assert any(set(place) <= {base - 1} for place in places)
    rows = [task.numbers(row) for row in source[2::4]]
    carried = [
        carry_length(*row, base=base) >= length for length, row in enumerate(rows, 1)
    ]
    assert 10 < sum(carried) < 35
    stopped = sums[-9:][~np.array(carried[-9:])]
    assert len(stopped) and all(row.min() < base - 1 for row in stopped)
    assert len(set(first[-1, 1:])) > 1  # not 0111 + 0001
    assert len({tuple(row) for row in first}) == bits


@pytest.mark.parametrize("base", [2, 10])
def test_some_hard_sums_have_long_chains_among_random_digits(base):
    """Few or many columns make a carry or stop one, the others hand it on."""
    task, bits = Addition("sum", base=base), 200
    source, _ = task.hard(np.random.default_rng(0), bits, 160)
    shares, carries = [], []
    for row in source[3::4]:
        digits = [to_symbols(n, base, bits) for n in task.numbers(row)]
        sums = [a + b - 2 for a, b in zip(*digits, strict=True)]
        shares.append(np.mean(np.array(sums) == base - 1))
        carries.append(carry_length(*task.numbers(row), base=base))
    # One minus an even power of 200, of which 1 in `base` is as before.
    expected = 1 - (1 - 1 / base) * bits ** -np.linspace(0, 1, 40)
    np.testing.assert_allclose(np.sort(shares), np.sort(expected), atol=0.15)
    assert np.mean(carries) > 20 and len(set(carries)) > 20
