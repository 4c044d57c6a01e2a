"""Base of the tasks on numbers."""

import abc
import dataclasses
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from neural_gpu_tf.constants import PAD
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.tasks.digits import BASES, check_base, from_symbols, to_symbols
from neural_gpu_tf.tasks.task import Task

LAYOUTS = ("padded", "bare", "aligned", "reversed")
_ZERO = b"\x01"
_FIRST_OPERATOR = 11
_FIRST_PAIR = 17


@dataclasses.dataclass(frozen=True)
class NumberTask(Task, abc.ABC):
    """An operation on two or more numbers, least significant digit first.

    Layouts, by example of 11 + 1 in binary (`.` is PAD):

        padded    source   1  1  +  1  0     target  0 0 1 0 0    zeros to the end
        bare      source   1  1  +  1        target  0 0 1 .      no leading zeros
        aligned   source  11 10  +  .  .     target  0 0 1 0 0    a symbol a pair
        reversed  source   1  1  +  0  1     target  0 0 1 0 0    operands backwards

    *padded* is what Price et al. call `badd`, and the target of the diagonal Neural
    GPU's `bmul`; *bare* is their `baddz`. Their aligned `badde` writes the operands
    in two rows of the canvas; here, with one symbol a column, a pair of digits is
    one symbol, and operator and canvas size are theirs. In the original Neural GPU
    code (2015) operands are padded, answers bare, and blank columns not graded (those
    that a question has symbols in are trained on all the same).
    *reversed* operands begin with their most significant digit, as in Joulin & Mikolov
    (2015): a stack that has read one gives its digits in the order of the answer.

    All numbers share one set of symbols, so that one model can go from binary to
    base 4 to decimal; the operator tells the base, as in Price et al.: PAD, ten
    digits, `+` in base 2, 4, 10, `*` in base 2, 4, 10, then the pairs if aligned.

    k-digit operands lie on a canvas of 2k + 1 columns (`operands` of them, on
    operands · (k + 1) - 1); 20 bits are length 41, 2,000 bits length 4,001.

    Attributes:
        base: 2, 4 or 10.
        layout: one of LAYOUTS.
        balanced: operands of equal width, as the Neural GPU's originals have them:
            digits drawn evenly, leading zeros among them, and `parse` fills the
            shorter operand with zeros. If False, `generate` splits the digits among
            the operands at random, and `parse` takes them as they are (Joulin &
            Mikolov's have any widths, too, but no leading zeros). Aligned operands
            always have equal width.
        operands: the number of operands.
    """

    base: int = 2
    layout: str = "padded"
    balanced: bool = True
    operands: int = 2

    operator: ClassVar[str]
    signs: ClassVar[str]  # what is read as the operator, besides
    cells: ClassVar[int] = 1
    """Columns that a digit takes."""
    example: ClassVar[dict[int, str]] = {2: "1101", 4: "1302", 10: "1907"}

    def __post_init__(self) -> None:
        check_base(self.name, self.base)
        if self.layout not in LAYOUTS:
            raise InputError(
                f"{self.name}: layout {self.layout!r}; choose one of "
                f"{', '.join(LAYOUTS)}"
            )
        least, most = 2, 2 if self.layout == "aligned" else 9
        if not least <= self.operands <= most:
            raise InputError(
                f"{self.name}: {self.operands} operands in layout {self.layout}; "
                f"at least {least}, at most {most}"
            )

    @property
    def symbols(self) -> tuple[str, ...]:
        names = ("_", *"0123456789", *"+++", *"***")
        if self.layout != "aligned":
            return names
        digits = "0123456789"[: self.base]
        return (*names, *(first + second for first in digits for second in digits))

    @property
    def separator(self) -> int:
        """The operator's symbol."""
        return _FIRST_OPERATOR + 3 * "+*".index(self.operator) + BASES.index(self.base)

    @abc.abstractmethod
    def hard_operands(
        self, rng: np.random.Generator, bits: int, index: int, batch: int
    ) -> tuple[int, ...]:
        """The operands of the `index`-th of `batch` hard inputs."""

    def columns(self, bits: int) -> int:
        return (self.cells * bits + 1) * self.operands - 1

    def extent(self, source: np.ndarray) -> np.ndarray:
        extent = super().extent(source)
        if self.layout == "aligned":
            return np.maximum(2 * extent - 1, 0)
        return extent

    def numbers(self, source: np.ndarray) -> tuple[int, ...]:
        """The operands of one source, int [n]."""
        parts = self._decode(bytes(np.asarray(source, np.uint8)).rstrip(b"\0"))
        return tuple(from_symbols(part, self.base) for part in parts)

    def read(self, text: str) -> bytes:
        for sign in self.signs:
            text = text.replace(sign, self.operator)
        pieces = text.split(self.operator)
        if len(pieces) != self.operands:
            number = self.example[self.base]
            found = len(pieces) - 1 or "no"
            raise InputError(
                f"{self.name}: {text!r} has {found} {self.operator!r} where "
                f"{self.operands - 1} should be; write "
                f'"{f" {self.operator} ".join([number] * self.operands)}"'
            )
        parts, start = [], 0
        for index, piece in enumerate(pieces):
            parts.append(self._read_operand(text, piece, start, index + 1))
            start += len(piece) + 1
        return self._encode(parts)

    def draw(self, rng: np.random.Generator, length: int) -> bytes:
        room = length - (self.operands - 1)
        if self.balanced or self.layout == "aligned":
            width = room // self.operands // self.cells
            cuts = list(range(width, width * self.operands, width))
            digits = width * self.operands
        else:
            digits = room // self.cells
            drawn = rng.choice(digits - 1, self.operands - 1, replace=False) + 1
            cuts = sorted(drawn.tolist())
        symbols = rng.integers(1, self.base + 1, digits, np.uint8).tobytes()
        ends = zip([0, *cuts], [*cuts, digits], strict=True)
        return self._encode([symbols[start:end] for start, end in ends])

    def hard_row(
        self, rng: np.random.Generator, bits: int, index: int, batch: int
    ) -> bytes:
        numbers = self.hard_operands(rng, bits, index, batch)
        return self._encode([to_symbols(n, self.base, bits) for n in numbers])

    def solve(self, row: bytes) -> bytes:
        numbers = [from_symbols(part, self.base) for part in self._decode(row)]
        size = 2 * len(row) - 1 if self.layout == "aligned" else len(row)
        width = 1 if self.layout == "bare" else size // self.cells
        return self.spell(to_symbols(self.spec(*numbers), self.base, width))

    def format(self, source: np.ndarray) -> str:
        parts = self._decode(bytes(np.asarray(source, np.uint8)).rstrip(b"\0"))
        texts = [self.digit_names(part)[::-1] for part in parts]
        return f" {self.operator} ".join(texts)

    def format_target(self, target: np.ndarray) -> str:
        row = bytes(np.asarray(target, np.uint8)).rstrip(b"\0")
        if not row:
            return self.symbols[PAD]
        return self.digit_names(self.unspell(row))[::-1].lstrip("0") or "0"

    def _any(self, rng: np.random.Generator, bits: int) -> int:
        """A random number of `bits` digits, leading zeros included."""
        symbols = rng.integers(1, self.base + 1, bits, np.uint8).tobytes()
        return from_symbols(symbols, self.base)

    @staticmethod
    def _in_any_order(
        rng: np.random.Generator, numbers: Sequence[int]
    ) -> tuple[int, ...]:
        return tuple(numbers[i] for i in rng.permutation(len(numbers)))

    def _read_operand(self, text: str, piece: str, start: int, index: int) -> bytes:
        """The digit symbols of one operand, which starts at text[start]."""
        digits = "0123456789"[: self.base]
        if not piece.strip():
            raise InputError(
                f"{self.name}: operand {index} of {text!r} is empty; give it at "
                "least one digit"
            )
        start += len(piece) - len(piece.lstrip())
        for offset, character in enumerate(piece.strip()):
            if character not in digits:
                raise InputError(
                    f"{self.name}: operand {index} of {text!r} has {character!r} at "
                    f"position {start + offset + 1}; its digits are 0 to {digits[-1]}"
                )
        return bytes(digits.index(c) + 1 for c in reversed(piece.strip()))

    def _encode(self, parts: Sequence[bytes]) -> bytes:
        """Operands as digit symbols to a source row."""
        if self.layout == "bare":
            parts = [part.rstrip(_ZERO) or _ZERO for part in parts]
        elif self.balanced or self.layout == "aligned":
            width = max(map(len, parts))
            parts = [part.ljust(width, _ZERO) for part in parts]
        if self.layout == "reversed":
            parts = [part[::-1] for part in parts]
        sign = bytes([self.separator])
        if self.layout == "aligned":
            pairs = ((a - 1) * self.base + b - 1 for a, b in zip(*parts, strict=True))
            return bytes(_FIRST_PAIR + pair for pair in pairs) + sign
        return sign.join(self.spell(part) for part in parts)

    def _decode(self, row: bytes) -> list[bytes]:
        """The operands of a source row as digit symbols."""
        sign = bytes([self.separator])
        if self.layout == "aligned":
            pairs = [divmod(s - _FIRST_PAIR, self.base) for s in row.rstrip(sign)]
            return [bytes(pair[i] + 1 for pair in pairs) for i in range(2)]
        parts = [self.unspell(part) for part in row.split(sign)]
        if self.layout == "reversed":
            return [part[::-1] for part in parts]
        return parts

    def digit_names(self, row: bytes) -> str:
        """Digit symbols, as `unspell` gives them, as characters."""
        names = self.symbols
        return "".join(names[symbol] for symbol in row)

    def spell(self, digits: bytes) -> bytes:
        """Digit symbols to the symbols of the canvas, `cells` for each."""
        return digits

    def unspell(self, row: bytes) -> bytes:
        """Symbols of the canvas to digit symbols; what is no digit stays apart."""
        return row


def length_in_turn(index: int, count: int, longest: int) -> int:
    """The `index`-th of `count` lengths from 1 to `longest`.

    They take turns; if they are too few for that, they are spread evenly, the longest
    one first.
    """
    if count >= longest:
        return index % longest + 1
    return longest - index * longest // count
