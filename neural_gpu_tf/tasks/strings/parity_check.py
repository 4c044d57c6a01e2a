"""The task of counting modulo 2."""

import dataclasses
from typing import ClassVar

import numpy as np

from neural_gpu_tf.tasks.strings.string_task import StringTask


@dataclasses.dataclass(frozen=True)
class ParityCheck(StringTask):
    """1 if there is an odd number of b, else 0 (`parity-check`; regular).

    aabba: 0.
    """

    alphabet: ClassVar[str] = "ab"
    said: ClassVar[str] = "01"

    def spec(self, text: str) -> str:
        return "01"[text.count("b") % 2]

    def draw_text(self, rng: np.random.Generator, length: int) -> str:
        return self._any(rng, self.alphabet, length)

    def hard_text(self, rng: np.random.Generator, length: int, index: int) -> str:
        return self._slipped(rng, super().hard_text(rng, length, index))
