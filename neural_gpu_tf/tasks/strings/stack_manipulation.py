"""The task of pushing and popping."""

import dataclasses
from typing import ClassVar

import numpy as np

from neural_gpu_tf.tasks.strings.string_task import StringTask


@dataclasses.dataclass(frozen=True)
class StackManipulation(StringTask):
    """What is on a stack at the end, the top first (`stack-manipulation`).

    The stack, the bottom first, as 0 and 1; then what is done to it: `n` pushes 0, `i`
    pushes 1, `p` pops, or does nothing where nothing is left. 0110ipp ends as 011, said
    as 110. (Deterministic context-free.)

    Hard inputs: nothing but pops, pushes and pops in turn, and pushes alone.
    """

    alphabet: ClassVar[str] = "01nip"
    ends: ClassVar[bool] = True
    patterns: ClassVar[tuple[str, ...]] = ("[01]+[nip]*",)

    def room(self, count: int) -> int:
        return count + 1

    def spec(self, text: str) -> str:
        stack: list[str] = []
        for character in text:
            if character == "p":
                del stack[-1:]
            else:
                stack.append("1" if character in "1i" else "0")
        return "".join(stack[::-1])

    def draw_text(self, rng: np.random.Generator, length: int) -> str:
        return self._done(rng, length, "nip")

    def hard_text(self, rng: np.random.Generator, length: int, index: int) -> str:
        if index % 3 == 0:
            return self._done(rng, length, "p")
        others = self._any(rng, "ni", length - 1)
        if index % 3 == 1:
            others = "".join("p" if i % 2 else x for i, x in enumerate(others))
        return self._any(rng, "01", 1) + others

    def _done(self, rng: np.random.Generator, length: int, actions: str) -> str:
        """A stack of any size, and these actions, drawn evenly, for the rest."""
        first = int(rng.integers(1, length)) if length > 1 else 1
        return self._any(rng, "01", first) + self._any(rng, actions, length - first)
