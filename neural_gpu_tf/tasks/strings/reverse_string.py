"""The task of reversing a string."""

import dataclasses
from typing import ClassVar

import numpy as np

from neural_gpu_tf.tasks.strings.string_task import StringTask


@dataclasses.dataclass(frozen=True)
class ReverseString(StringTask):
    """The string backwards (`reverse-string`; deterministic context-free).

    aab: baa.
    """

    alphabet: ClassVar[str] = "ab"

    def spec(self, text: str) -> str:
        return text[::-1]

    def draw_text(self, rng: np.random.Generator, length: int) -> str:
        return self._any(rng, self.alphabet, length)
