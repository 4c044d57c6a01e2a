"""The task of saying a string twice."""

import dataclasses
from typing import ClassVar

import numpy as np

from neural_gpu_tf.tasks.strings.string_task import StringTask


@dataclasses.dataclass(frozen=True)
class DuplicateString(StringTask):
    """The string twice (`duplicate-string`; context-sensitive).

    aab: aabaab.
    """

    alphabet: ClassVar[str] = "ab"

    def room(self, count: int) -> int:
        return 2 * count

    def spec(self, text: str) -> str:
        return 2 * text

    def draw_text(self, rng: np.random.Generator, length: int) -> str:
        return self._any(rng, self.alphabet, length)
