"""How far carries travel."""

import itertools

import pytest

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.tasks import carry_length


def follow_each_carry(first, second, base):
    """Starts at each column that carries by itself and walks on while it must."""
    digits = [(first // base**k % base) + (second // base**k % base) for k in range(9)]
    longest = 0
    for start, total in enumerate(digits):
        if total >= base:
            length = 1
            while digits[start + length] == base - 1:
                length += 1
            longest = max(longest, length)
    return longest


@pytest.mark.parametrize(
    ("first", "second", "length"),
    [
        (0b0111, 0b0001, 3),
        (0b0111, 0b0111, 1),
        (0b0101, 0b1010, 0),
        (0, 0, 0),
        (2**2000 - 1, 1, 2000),
        (1, 2**2000 - 1, 2000),
    ],
)
def test_examples(first, second, length):
    assert carry_length(first, second) == length


def test_a_carry_of_more_than_one():
    """3 + 3 + 11: the columns sum to 3, 4, 2 and 2, and carry 1, 2, 1 and 1."""
    assert carry_length(3, 3, 11) == 4


@pytest.mark.parametrize("base", [2, 4, 10])
def test_all_pairs(base):
    for first, second in itertools.product(range(110), repeat=2):
        expected = follow_each_carry(first, second, base)
        assert carry_length(first, second, base=base) == expected


def test_three_operands():
    assert carry_length(0b0111, 0b0001, 0) == 3
    assert carry_length(999, 1, 0, base=10) == 3


def test_another_base_is_refused():
    with pytest.raises(InputError, match="carry_length: base 3; choose one of 2, 4"):
        carry_length(1, 2, base=3)
