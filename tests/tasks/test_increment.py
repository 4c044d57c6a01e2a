"""Increment."""

import itertools

import numpy as np
import pytest

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.tasks import TASKS, Increment


@pytest.mark.parametrize(("base", "widths"), [(2, range(1, 9)), (10, range(1, 4))])
def test_all_numbers(base, widths):
    task = Increment("incr", base=base)
    for width in widths:
        rows = list(itertools.product(range(base), repeat=width))
        # In this order the next number is the next row, and after the last the first.
        source = np.array(rows)[:, ::-1] + 1
        np.testing.assert_array_equal(task.target(source), np.roll(source, -1, axis=0))


def test_text():
    task = TASKS["incr"]
    assert task.parse(" 1299").tolist() == [10, 10, 3, 2]
    assert task.answer("1299") == "1300"
    assert task.answer("099") == "100"
    assert task.answer("999") == "000"


def test_hard_inputs_carry_through_every_length():
    task = TASKS["incr"]
    source, _ = task.hard(np.random.default_rng(0), 20, 400)
    texts = [task.format(row) for row in source]
    for index, text in enumerate(texts[::2]):
        assert text.endswith("9" * (index % 20 + 1))
    assert {"0" * 20, "0" * 19 + "1", "1" + "0" * 19} <= set(texts)


def test_errors():
    with pytest.raises(InputError, match="'12x' has 'x' at position 3; its digits are"):
        TASKS["incr"].parse("12x")
    with pytest.raises(InputError, match="' 1 2' has ' ' at position 3"):
        TASKS["incr"].parse(" 1 2")
    with pytest.raises(InputError, match="base 7"):
        Increment("x", base=7)
