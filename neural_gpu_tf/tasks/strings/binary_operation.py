"""Base of the tasks on two binary numbers of any two lengths."""

import abc
import dataclasses
from typing import ClassVar

import numpy as np

from neural_gpu_tf.tasks.strings.string_task import StringTask


@dataclasses.dataclass(frozen=True)
class BinaryOperation(StringTask, abc.ABC):
    """An operation on two binary numbers, the least digit first.

    The answer has no leading zeros. Where the operator stands is drawn evenly, an
    operand from 1 to the greatest that has room. Hard inputs: operands all ones, and a
    one behind zeros.
    """

    shortest: ClassVar[int] = 3
    ends: ClassVar[bool] = True

    operator: ClassVar[str]

    @abc.abstractmethod
    def value(self, first: int, second: int) -> int:
        """The answer as a number."""

    def spec(self, text: str) -> str:
        first, second = (int(x[::-1], 2) for x in text.split(self.operator))
        return f"{self.value(first, second):b}"[::-1]

    def draw_text(self, rng: np.random.Generator, length: int) -> str:
        first = int(rng.integers(1, length - 1))
        numbers = (self._positive(rng, n) for n in (first, length - 1 - first))
        return self.operator.join(numbers)

    def hard_text(self, rng: np.random.Generator, length: int, index: int) -> str:
        first = int(rng.integers(1, length - 1))
        numbers = [
            "1" * n if ones else "0" * (n - 1) + "1"
            for n, ones in ((first, index % 2), (length - 1 - first, index // 2 % 2))
        ]
        return self.operator.join(numbers)

    def _positive(self, rng: np.random.Generator, count: int) -> str:
        """A random number from 1 on, of so many digits."""
        while "1" not in (digits := self._any(rng, "01", count)):
            pass
        return digits
