"""The task of walking on a circle."""

import dataclasses
from typing import ClassVar

import numpy as np

from neural_gpu_tf.tasks.strings.string_task import StringTask


@dataclasses.dataclass(frozen=True)
class CycleNavigation(StringTask):
    """Where a walk on a circle of 5 places ends (`cycle-navigation`; regular).

    From place 0, `+` goes on by one, `-` back, 0 stays: +-0-- ends at -2, that is 3.
    """

    alphabet: ClassVar[str] = "-0+"
    said: ClassVar[str] = "1234"

    def spec(self, text: str) -> str:
        return str((text.count("+") - text.count("-")) % 5)

    def draw_text(self, rng: np.random.Generator, length: int) -> str:
        return self._any(rng, self.alphabet, length)

    def hard_text(self, rng: np.random.Generator, length: int, index: int) -> str:
        return self._slipped(rng, super().hard_text(rng, length, index))
