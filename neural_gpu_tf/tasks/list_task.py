"""Base of the tasks on lists of symbols."""

import abc
import dataclasses
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.tasks.task import Task

NAMES = "0123456789abcdefghijklmnopqrstuvwxyz"


@dataclasses.dataclass(frozen=True)
class ListTask(Task, abc.ABC):
    """An operation on a list of symbols 1 … `values`, named 0, 1, … 9, a, b, ….

    A list of k symbols lies on a canvas of k columns unless the task says otherwise.
    White space in human text means nothing.

    Hard inputs take turns: all equal (the lowest symbol, the highest, any), sorted,
    reversed, two symbols alternating, a palindrome, one odd symbol among equal ones.

    Source: Kaiser & Sutskever (2016), data_utils.py: symbols drawn evenly; there the
    number of symbols is a flag (33 with PAD in 2015, 16 in 2016).

    Attributes:
        values: the number of symbols, PAD not counted.
    """

    values: int = 15

    group: ClassVar[int] = 1
    word: ClassVar[int] = 1
    """How many symbols people write together, without a space. A longer run of digits
    among several words is refused: it is probably meant as a number."""

    def __post_init__(self) -> None:
        if not 2 <= self.values <= len(NAMES):
            raise InputError(
                f"{self.name}: {self.values} symbols; at least 2, at most {len(NAMES)}"
            )

    @property
    def symbols(self) -> tuple[str, ...]:
        return ("_", *NAMES[: self.values])

    @abc.abstractmethod
    def spec(self, symbols: Sequence[int]) -> Sequence[int]:
        """The target of a list."""

    def columns(self, bits: int) -> int:
        return self.group * bits

    def elements(self, length: int) -> int:
        """The symbols of the longest list for a canvas of `length` columns."""
        return length // self.group * self.group

    def read(self, text: str) -> bytes:
        words = text.split()
        most = max(self.word, self.group)
        long = next((w for w in words if w.isdecimal() and len(w) > most), "")
        if len(words) > 1 and long:
            raise InputError(
                f"{self.name}: {text!r} has {long!r}, which is {len(long)} symbols; a "
                f"symbol is one of {NAMES[: self.values]}"
            )
        row = bytearray()
        for position, character in enumerate(text, 1):
            if character in NAMES[: self.values]:
                row.append(NAMES.index(character) + 1)
            elif not character.isspace():
                raise InputError(
                    f"{self.name}: {text!r} has {character!r} at position {position}; "
                    f"its symbols are {NAMES[: self.values]}"
                )
        if not row:
            raise InputError(f'{self.name}: {text!r} is empty; write "3 1 2" or so')
        if len(row) % self.group:
            raise InputError(
                f"{self.name}: {text!r} has {len(row)} symbols; it takes pairs, a key "
                'and a value each: "b3 a1"'
            )
        return bytes(row)

    def draw(self, rng: np.random.Generator, length: int) -> bytes:
        return self._any(rng, self.elements(length))

    def hard_row(
        self, rng: np.random.Generator, bits: int, index: int, batch: int
    ) -> bytes:
        return self._hard_list(rng, self.elements(self.columns(bits)), index)

    def solve(self, row: bytes) -> bytes:
        return bytes(self.spec(row))

    def format(self, source: np.ndarray) -> str:
        return self._grouped(super().format_target(source))

    def format_target(self, target: np.ndarray) -> str:
        return self._grouped(super().format_target(target))

    def _grouped(self, text: str) -> str:
        starts = range(0, len(text), self.group)
        pieces = [text[start : start + self.group] for start in starts]
        return " ".join(pieces) if self.group > 1 else text

    def _any(self, rng: np.random.Generator, count: int) -> bytes:
        """`count` random symbols."""
        return rng.integers(1, self.values + 1, count, np.uint8).tobytes()

    def _hard_list(self, rng: np.random.Generator, count: int, kind: int) -> bytes:
        """A hard list of `count` symbols, of the `kind`-th kind (modulo 8)."""
        symbols, one, two = self._any(rng, count), self._any(rng, 1), self._any(rng, 1)
        if one == two:
            two = bytes([one[0] % self.values + 1])
        place = int(rng.integers(count))
        return [
            b"\x01" * count,
            bytes([self.values]) * count,
            one * count,
            bytes(sorted(symbols)),
            bytes(sorted(symbols, reverse=True)),
            ((one + two) * count)[:count],
            symbols[: (count + 1) // 2] + symbols[: count // 2][::-1],
            one * place + two + one * (count - place - 1),
        ][kind % 8]
