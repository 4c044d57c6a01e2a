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

    Hard inputs: the hidden character is the only one of its kind in its copy, all are
    alike, or 0 and 1 take turns.
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
        return self._hide(rng, self._any(rng, "01", length // 2), length)

    def hard_text(self, rng: np.random.Generator, length: int, index: int) -> str:
        half = length // 2
        first, second = rng.permutation(["0", "1"])
        if index % 3 == 0:
            place = int(rng.integers(half))
            alone = first * place + second + first * (half - place - 1)
            return self._hide(rng, alone, length, place)
        alike, in_turn = first * half, ((first + second) * half)[:half]
        return self._hide(rng, [alike, in_turn][index % 3 - 1], length)

    @staticmethod
    def _hide(
        rng: np.random.Generator, copy: str, length: int, place: int | None = None
    ) -> str:
        """Two copies, the character at `place` hidden in either, or any of both."""
        text = 2 * copy
        if place is None:
            place = int(rng.integers(len(text)))
        else:
            place += len(copy) * int(rng.integers(2))
        return f"{text[:place]}?{text[place + 1 :]}{'.' * (length % 2)}"
