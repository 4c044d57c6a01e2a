"""The task of binary products of operands of any two lengths."""

import dataclasses
from typing import ClassVar

from neural_gpu_tf.tasks.strings.binary_operation import BinaryOperation


@dataclasses.dataclass(frozen=True)
class BinaryMultiplication(BinaryOperation):
    """The product of two binary numbers (`binary-multiplication`; context-sensitive).

    001*01101 is 0001101 (4 · 22 = 88). `bmul`, of the Neural GPU's papers, has operands
    of one length.
    """

    alphabet: ClassVar[str] = "01*"
    patterns: ClassVar[tuple[str, ...]] = (r"[01]+\*[01]+",)
    operator: ClassVar[str] = "*"

    def value(self, first: int, second: int) -> int:
        return first * second
