"""Numbers to digit symbols and back."""

import pytest

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.tasks.digits import check_base, from_symbols, to_symbols


def school_digits(number, base):
    """Digits, least significant first, by repeated division."""
    digits = [number % base]
    while number := number // base:
        digits.append(number % base)
    return digits


@pytest.mark.parametrize("base", [2, 4, 10])
def test_small_numbers(base):
    for number in range(1100):
        symbols = to_symbols(number, base)
        assert [symbol - 1 for symbol in symbols] == school_digits(number, base)
        assert from_symbols(symbols, base) == number
        wide = to_symbols(number, base, 13)
        assert wide == symbols + b"\x01" * (13 - len(symbols))
        assert from_symbols(wide, base) == number


@pytest.mark.parametrize("base", [2, 4, 10])
@pytest.mark.parametrize("exponent", [511, 512, 513, 1023, 1024, 1025, 9000])
def test_numbers_beyond_the_limit_of_str(base, exponent):
    for number in (base**exponent, base**exponent - 1, base**exponent + 7):
        symbols = to_symbols(number, base)
        assert [symbol - 1 for symbol in symbols] == school_digits(number, base)
        assert from_symbols(symbols, base) == number


def test_no_digits_are_zero():
    assert from_symbols(b"", 2) == from_symbols(b"", 10) == 0


def test_other_bases():
    with pytest.raises(InputError, match="x: base 3; choose one of 2, 4, 10"):
        check_base("x", 3)
