"""Base of the tasks on strings."""

import abc
import dataclasses
import re
from typing import ClassVar

import numpy as np

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.tasks.task import Task


@dataclasses.dataclass(frozen=True)
class StringTask(Task, abc.ABC):
    """A function from strings to strings, one symbol a character.

    The tasks of Delétang et al. 2022, "Neural Networks and the Chomsky Hierarchy", by
    the docstrings and the code of its repository. There an answer's end is a
    symbol where the length of an answer does not follow from that of the question; here
    it is the first blank column, which counts alike (`counted`).

    `bits` is the length of a string. White space in human text means nothing. Which
    strings are questions `patterns` and `inner` tell, in what Python and RE2 share, so
    that a graph can tell too.

    Hard inputs are strings of one character, of two in turn, and of one with another
    somewhere; a task whose answers are one symbol changes some of their characters, so
    that none follows from the pattern, and a task with `patterns` tells its own.
    """

    alphabet: ClassVar[str]
    """The characters of questions."""
    said: ClassVar[str] = ""
    """The characters that only answers have."""
    shortest: ClassVar[int] = 1
    """The length of the shortest question."""
    step: ClassVar[int] = 1
    """Questions have lengths shortest, shortest + step, …"""
    ends: ClassVar[bool] = False
    """Whether an answer's length depends on more than the question's length; then the
    blank column behind the answer is graded too."""
    patterns: ClassVar[tuple[str, ...]] = ()
    """What a whole question matches; where there is none, any string is a question."""
    inner: ClassVar[tuple[str, str]] = ("", "")
    """A pattern, and what each match is replaced by, again and again, before the last
    of `patterns` is looked for."""

    @abc.abstractmethod
    def spec(self, text: str) -> str:
        """The answer to a question."""

    @abc.abstractmethod
    def draw_text(self, rng: np.random.Generator, length: int) -> str:
        """A random question of so many characters, a legal number."""

    def room(self, count: int) -> int:
        """The columns of a question of `count` characters, and of its answer."""
        return count

    @property
    def symbols(self) -> tuple[str, ...]:
        return ("_", *self.alphabet, *self.said)

    def legal(self, count: int) -> int:
        """The longest length of a question up to `count`; the shortest if none is."""
        over = max(count - self.shortest, 0)
        return self.shortest + over // self.step * self.step

    def columns(self, bits: int) -> int:
        return self.room(self.legal(bits))

    def extent(self, source: np.ndarray) -> np.ndarray:
        count = super().extent(source)
        most = int(np.max(count, initial=0))
        rooms = np.array([0, *map(self.room, range(1, most + 1))], np.int32)
        return rooms[count]

    def counted(self, answer: np.ndarray) -> np.ndarray:
        """How many columns of each answer, int [..., n], are graded: int32 [...]."""
        return super().extent(answer) + np.int32(self.ends)

    def is_question(self, text: str) -> bool:
        """Whether a string of the alphabet is a question."""
        if len(text) < self.shortest:
            return False
        *whole, last = self.patterns or (".*",)
        if not all(re.fullmatch(pattern, text) for pattern in whole):
            return False
        before = ""
        while self.inner[0] and text != before:
            before, text = text, re.sub(*self.inner, text)
        return re.fullmatch(last, text) is not None

    def read(self, text: str) -> bytes:
        for position, character in enumerate(text, 1):
            if character not in self.alphabet and not character.isspace():
                raise InputError(
                    f"{self.name}: {text!r} has {character!r} at position {position}; "
                    f"its symbols are {self.alphabet}"
                )
        squeezed = "".join(text.split())
        if not self.is_question(squeezed):
            example = self.draw_text(np.random.default_rng(0), self.legal(8))
            raise InputError(
                f"{self.name}: {text!r} is no question of this task; write one like "
                f'"{example}"'
            )
        return self._encode(squeezed)

    def draw(self, rng: np.random.Generator, length: int) -> bytes:
        count = length
        while self.room(count) > length:
            count -= 1
        return self._encode(self.draw_text(rng, self.legal(count)))

    def hard_row(
        self, rng: np.random.Generator, bits: int, index: int, batch: int
    ) -> bytes:
        return self._encode(self.hard_text(rng, self.legal(bits), index))

    def hard_text(self, rng: np.random.Generator, length: int, index: int) -> str:
        """The `index`-th hard question of so many characters, a legal number."""
        order = rng.permutation(list(self.alphabet))
        first, second = order[0], order[min(1, len(order) - 1)]
        place = int(rng.integers(length))
        return [
            first * length,
            ((first + second) * length)[:length],
            first * place + second + first * (length - place - 1),
        ][index % 3]

    def solve(self, row: bytes) -> bytes:
        return self._encode(self.spec("".join(self.symbols[s] for s in row)))

    def _encode(self, text: str) -> bytes:
        return bytes(self.symbols.index(character) for character in text)

    def _slipped(self, rng: np.random.Generator, text: str) -> str:
        """The text with others in the place of 0 to 3 of its characters.

        So the answer to a text of a pattern does not follow from the pattern.
        """
        characters = list(text)
        for place in rng.permutation(len(text))[: rng.integers(4)]:
            others = self.alphabet.replace(characters[place], "") or self.alphabet
            characters[place] = self._any(rng, others, 1)
        return "".join(characters)

    def _any(self, rng: np.random.Generator, characters: str, count: int) -> str:
        """`count` random ones of these characters."""
        drawn = rng.integers(len(characters), size=count)
        return "".join(characters[i] for i in drawn)
