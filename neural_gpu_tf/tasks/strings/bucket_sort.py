"""The task of sorting few kinds of symbols."""

import dataclasses
from typing import ClassVar

import numpy as np

from neural_gpu_tf.tasks.strings.string_task import StringTask


@dataclasses.dataclass(frozen=True)
class BucketSort(StringTask):
    """The characters in order (`bucket-sort`; context-sensitive).

    42130: 01234.
    """

    alphabet: ClassVar[str] = "01234"

    def spec(self, text: str) -> str:
        return "".join(sorted(text))

    def draw_text(self, rng: np.random.Generator, length: int) -> str:
        return self._any(rng, self.alphabet, length)
