"""Repeat copy."""

import itertools

import numpy as np
import pytest

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.tasks import TASKS, RepeatCopy

TASK = TASKS["repeat-copy"]
END = TASK.symbols.index("#")


@pytest.mark.parametrize("count", [1, 2, 3, 9, 10, 12, 105])
def test_all_short_lists(count):
    digits = [int(digit) + 1 for digit in reversed(str(count))]
    for length in range(1, 4):
        for symbols in itertools.product((1, 2, 14), repeat=length):
            source = [*symbols, END, *digits]
            target = [0] * len(source)
            for _ in range(count):
                target.extend(symbols)
            target.append(END)
            source += [0] * (len(target) - len(source))
            assert TASK.size(np.array(source)) == len(target)
            assert TASK.target(np.array([source]))[0].tolist() == target


def test_counts_are_drawn_evenly_and_fill_the_canvas():
    source, _ = TASK.generate(np.random.default_rng(0), 40, 5000)
    texts = [TASK.format(row).split("#") for row in source]
    counts = np.bincount([int(count) for _, count in texts])
    assert len(counts) == 11 and counts[0] == 0
    # 500 times each; 5 standard deviations are 106.
    assert np.abs(counts[1:] - 500).max() < 106
    for symbols, count in texts:
        columns = (len(symbols) + 1) * (int(count) + 1) + 2 + len(count)
        assert columns > 40


def test_hard_inputs_repeat_as_often_as_they_can():
    source, _ = TASK.hard(np.random.default_rng(0), 5, 6)
    counts = [TASK.format(row).split("#")[1] for row in source]
    assert counts == ["10", "10", "1"] * 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("3a1", "'3a1' has no repeat count"),
        ("3a1#", "has no repeat count"),
        ("#2", "is empty"),
        ("3a1#x", "count of '3a1#x' has 'x' at position 5"),
        ("3a1# 2 2", "has ' ' at position 7"),
        ("3a1#0", "repeats 0 times; 1 to 9999"),
        ("3a1#10000", "repeats 10000 times"),
        ("3a1#" + "9" * 9000, "repeats 99999999 times"),
    ],
)
def test_wrong_text(text, message):
    with pytest.raises(InputError, match=f"^repeat-copy: .*{message}") as error:
        TASK.parse(text)
    assert "\n" not in str(error.value)


def test_wrong_choices():
    for choice in ({"values": 9}, {"repeats": 0}):
        with pytest.raises(InputError, match="at least 10 symbols, 1 to 9999 repeats"):
            RepeatCopy("x", **choice)
