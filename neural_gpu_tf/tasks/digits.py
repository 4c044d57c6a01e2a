"""Numbers of any length as digit symbols, and back, in less than quadratic time.

The symbol of digit d is d + 1 (0 is PAD) and the least significant digit stands
first, as in the Neural GPU's own data_utils.py. Python's `str` and `int` refuse more
than 4,300 decimal digits, so decimal numbers are cut in halves down to blocks.
"""

import numpy as np

from neural_gpu_tf.errors import InputError

BASES = (2, 4, 10)
_BLOCK = 512
_TO_TEXT = bytes.maketrans(bytes(range(1, 11)), b"0123456789")
_TO_SYMBOL = bytes.maketrans(b"0123456789", bytes(range(1, 11)))


def check_base(name: str, base: int) -> None:
    """Raises InputError unless `base` is one of BASES."""
    if base not in BASES:
        legal = ", ".join(map(str, BASES))
        raise InputError(f"{name}: base {base}; choose one of {legal}")


def to_symbols(number: int, base: int, width: int = 1) -> bytes:
    """Symbols of a number >= 0, with zeros up to `width` digits."""
    if base == 10:
        text = _decimal(number)
    elif base == 4:
        binary = f"{number:b}"
        binary = binary.rjust(len(binary) + len(binary) % 2, "0")
        bits = np.frombuffer(binary.encode(), np.uint8)
        text = (2 * (bits[0::2] - 48) + bits[1::2]).tobytes()
    else:
        text = f"{number:b}".encode()
    return text[::-1].translate(_TO_SYMBOL).ljust(width, b"\x01")


def from_symbols(symbols: bytes, base: int) -> int:
    """The number that the digit symbols stand for; no digits are 0."""
    if base == 10 and len(symbols) > _BLOCK:
        half = len(symbols) // 2
        high = from_symbols(symbols[half:], base)
        return from_symbols(symbols[:half], base) + high * 10**half
    return int(symbols[::-1].translate(_TO_TEXT) or b"0", base)


def _decimal(number: int) -> bytes:
    """`str(number)` without its limit."""
    digits = number.bit_length() * 30103 // 100000
    if digits < _BLOCK:
        return str(number).encode()
    high, low = divmod(number, 10 ** (digits // 2))
    return _decimal(high) + _decimal(low).rjust(digits // 2, b"0")
