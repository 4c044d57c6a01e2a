"""The task of taking every second character first."""

import dataclasses
from typing import ClassVar

import numpy as np

from neural_gpu_tf.tasks.strings.string_task import StringTask


@dataclasses.dataclass(frozen=True)
class OddsFirst(StringTask):
    """The 1st, 3rd, 5th, … character, then the 2nd, 4th, … (`odds-first`).

    aabbb: abbab. (Context-sensitive.)
    """

    alphabet: ClassVar[str] = "ab"

    def spec(self, text: str) -> str:
        return text[::2] + text[1::2]

    def draw_text(self, rng: np.random.Generator, length: int) -> str:
        return self._any(rng, self.alphabet, length)
