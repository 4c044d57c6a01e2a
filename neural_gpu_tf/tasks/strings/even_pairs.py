"""The task of counting unequal neighbours."""

import dataclasses
from typing import ClassVar

import numpy as np

from neural_gpu_tf.tasks.strings.string_task import StringTask


@dataclasses.dataclass(frozen=True)
class EvenPairs(StringTask):
    """1 if the pairs ab and ba are an even number, else 0 (`even-pairs`).

    aabba has one pair ab and one ba: 1. (Regular: the first and the last are equal.)
    """

    alphabet: ClassVar[str] = "ab"
    said: ClassVar[str] = "01"

    def spec(self, text: str) -> str:
        pairs = text.count("ab") + text.count("ba")
        return "01"[pairs % 2 == 0]

    def draw_text(self, rng: np.random.Generator, length: int) -> str:
        return self._any(rng, self.alphabet, length)

    def hard_text(self, rng: np.random.Generator, length: int, index: int) -> str:
        # The last character is any, as the answer does not follow from the others.
        return super().hard_text(rng, length, index)[:-1] + self._any(rng, "ab", 1)
