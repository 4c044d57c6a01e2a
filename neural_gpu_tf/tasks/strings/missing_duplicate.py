"""The task of finding what is missing in one of two copies."""

import dataclasses
from typing import ClassVar

import numpy as np

from neural_gpu_tf.tasks.strings.string_task import StringTask


@dataclasses.dataclass(frozen=True)
class MissingDuplicate(StringTask):
    """The character that is hidden in one of two copies (`missing-duplicate`).

    A string twice, one character hidden by `?`, and a `.` where the length is odd:
    01100?10 is 0110 twice, and 1 is hidden. (Context-sensitive. The other characters
    of both copies are not compared.)
    """

    alphabet: ClassVar[str] = "01?."
    shortest: ClassVar[int] = 2
    patterns: ClassVar[tuple[str, ...]] = (
        r"[01]*\?[01]*\.?",
        r"([01?][01?])+\.?",
    )

    def spec(self, text: str) -> str:
        text = text.rstrip(".")
        return text[text.index("?") - len(text) // 2]

    def draw_text(self, rng: np.random.Generator, length: int) -> str:
        text = 2 * self._any(rng, "01", length // 2)
        place = int(rng.integers(len(text)))
        return f"{text[:place]}?{text[place + 1 :]}{'.' * (length % 2)}"
