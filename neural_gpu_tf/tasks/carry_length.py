"""Length of the longest carry chain of a sum."""

from neural_gpu_tf.tasks.digits import check_base, to_symbols


def carry_length(*operands: int, base: int = 2) -> int:
    """The columns that the longest carry chain of a sum runs through.

    A chain starts in a column that carries by itself and goes on through each next
    column that carries only because of the carry coming in:

        0111 + 0001  ->  3        0111 + 0111  ->  1        0101 + 1010  ->  0

    This is the length that Price, Zaremba & Sutskever (2016, "Extensions and
    Limitations of the Neural GPU") find additions to fail by.

    Args:
        operands: one or more, each at least 0.
        base: 2, 4 or 10.

    Raises:
        InputError: another base.
    """
    check_base("carry_length", base)
    width = max(len(to_symbols(operand, base)) for operand in operands)
    columns = zip(
        *(to_symbols(operand, base, width) for operand in operands), strict=True
    )
    longest = length = carry = 0
    for column in columns:
        total = sum(column) - len(column)
        out = (total + carry) // base
        if out == 0:
            length = 0
        elif out != total // base:
            length += 1
        else:
            length = 1
        carry = out
        longest = max(longest, length)
    return longest
