"""The task of square roots."""

import dataclasses
import math
from typing import ClassVar

import numpy as np

from neural_gpu_tf.tasks.strings.string_task import StringTask


@dataclasses.dataclass(frozen=True)
class ComputeSqrt(StringTask):
    """The whole part of the square root of a binary number (`compute-sqrt`).

    The greatest digit first; n digits have a root of ⌈n / 2⌉: 100101 (37) has 110 (6).
    (Context-sensitive.)

    Hard inputs: squares, numbers one below a square, all ones, and powers of two.
    """

    alphabet: ClassVar[str] = "01"
    patterns: ClassVar[tuple[str, ...]] = ("0*1[01]*",)

    def spec(self, text: str) -> str:
        return f"{math.isqrt(int(text, 2)):b}".zfill((len(text) + 1) // 2)

    def draw_text(self, rng: np.random.Generator, length: int) -> str:
        while "1" not in (digits := self._any(rng, "01", length)):
            pass
        return digits

    def hard_text(self, rng: np.random.Generator, length: int, index: int) -> str:
        root = math.isqrt(int(self.draw_text(rng, length), 2))
        power = 1 << int(rng.integers(length))
        numbers = root * root, max(root * root - 1, 1), (1 << length) - 1, power
        return f"{numbers[index % 4]:b}".zfill(length)
