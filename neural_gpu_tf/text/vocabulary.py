"""The vocabulary: numbered symbols, and their file."""

import hashlib
import os
from collections.abc import Callable, Mapping, Sequence

import tensorflow as tf

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.files import write_atomically
from neural_gpu_tf.text.code_points import WHITE_CLASS, WORD_CLASS
from neural_gpu_tf.text.lines import read_lines

FIRST_BYTE = 4
RESERVED = (
    "<pad>",
    "<go>",
    "<eos>",
    "<space>",
    *(f"<0x{byte:02X}>" for byte in range(256)),
)
"""The symbols of every vocabulary, numbers 0 to 259."""

VISIBLE_SPACE = "\u2581"  # How a space is written in the file.

_MARK = f"[^{WHITE_CLASS[1:-1]}{WORD_CLASS[1:-1]}]"
_PIECE = f"{WORD_CLASS}{{2,}}| {_MARK} ?|{_MARK} "


class Vocabulary:
    """Numbered symbols: 260 reserved ones, then characters, then pieces.

    The file has one symbol a line; a line's number, from 0, is the symbol's. A space
    is written as U+2581, so that marks with spaces can be seen:

        <pad>  <go>  <eos>  <space>  <0x00> ... <0xFF>  e  t  ...  ,▁  the  .▁  ...

    The character U+2581 itself is never in a vocabulary: it is spelled in bytes.

    Args:
        characters: single characters, of words or marks, most frequent first.
        pieces: words of two characters or more, and marks with spaces beside them
            (see `pieces.py`), most frequent first.

    Raises:
        InputError: a symbol occurs twice, or no text can give it.
    """

    def __init__(self, characters: Sequence[str] = (), pieces: Sequence[str] = ()):
        self.characters = tuple(characters)
        self.pieces = tuple(pieces)
        self.symbols = (
            RESERVED
            + self.characters
            + tuple(piece.replace(" ", VISIBLE_SPACE) for piece in self.pieces)
        )
        _check(self.characters, self.pieces, lambda index: f"symbol {index}")

    @property
    def byte_ids(self) -> range:
        """The symbols that are bytes; byte b is `byte_ids[b]`."""
        return range(FIRST_BYTE, FIRST_BYTE + 256)

    @property
    def character_ids(self) -> range:
        """The symbols that are characters, in the order of `characters`."""
        return range(len(RESERVED), len(RESERVED) + len(self.characters))

    @property
    def piece_ids(self) -> range:
        """The symbols that are pieces, in the order of `pieces`."""
        return range(len(RESERVED) + len(self.characters), len(self))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "Vocabulary":
        """Reads a vocabulary file.

        Raises:
            InputError: the file is missing, not UTF-8 or not a vocabulary; the
                message names the line.
        """
        if not os.path.exists(path):
            raise InputError(
                f"{path}: no such vocabulary file; run neural-gpu-build-vocab"
            )
        lines = list(read_lines(path))
        for index, reserved in enumerate(RESERVED):
            line = lines[index] if index < len(lines) else "the end of the file"
            if line != reserved:
                raise InputError(
                    f"{path}:{index + 1}: {line!r} where {reserved!r} must stand; "
                    "not a vocabulary of neural-gpu-build-vocab"
                )
        symbols = [
            line if line == VISIBLE_SPACE else line.replace(VISIBLE_SPACE, " ")
            for line in lines[len(RESERVED) :]
        ]
        count = next(
            (i for i, symbol in enumerate(symbols) if len(symbol) > 1), len(symbols)
        )
        characters, pieces = symbols[:count], symbols[count:]
        _check(characters, pieces, lambda index: f"{path}:{index + 1}")
        return cls(characters, pieces)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the file, all of it or nothing.

        Raises:
            InputError: it can't be written.
        """
        write_atomically(path, self.content())

    @classmethod
    def from_counts(
        cls,
        character_counts: Mapping[str, int],
        piece_counts: Mapping[str, float],
        size: int,
        max_characters: int = 1_000,
        min_count: int = 1,
    ) -> "Vocabulary":
        """Takes the most frequent characters, then the most frequent pieces.

        Equally frequent ones stand in the order of their code points, so the same
        counts always make the same vocabulary.

        Args:
            character_counts: how often each character occurs.
            piece_counts: how often each piece of two characters or more occurs.
            size: the most symbols to take, the 260 reserved ones among them.
            max_characters: the most characters to take.
            min_count: the least count that a symbol must have.
        """
        free = max(0, size - len(RESERVED))
        characters = _most_frequent(
            character_counts, min(free, max_characters), min_count
        )
        pieces = _most_frequent(piece_counts, free - len(characters), min_count)
        return cls(characters, pieces)

    def fingerprint(self) -> str:
        """The SHA-256 of the file's content, in hexadecimal."""
        return hashlib.sha256(self.content()).hexdigest()

    def __len__(self) -> int:
        return len(self.symbols)

    def content(self) -> bytes:
        """What the file has."""
        return "".join(f"{symbol}\n" for symbol in self.symbols).encode()


def _most_frequent(
    counts: Mapping[str, float], most: int, least_count: int
) -> list[str]:
    allowed = [
        symbol
        for symbol, count in counts.items()
        if count >= least_count and VISIBLE_SPACE not in symbol
    ]
    return sorted(allowed, key=lambda symbol: (-counts[symbol], symbol))[:most]


def _check(
    characters: Sequence[str], pieces: Sequence[str], where: Callable[[int], str]
) -> None:
    """Raises InputError at the first wrong symbol; `where` says where it stands."""
    possible = [
        *_matches(characters, f"[^{WHITE_CLASS[1:-1]}]"),
        *_matches(pieces, _PIECE),
    ]
    seen = set()
    for index, symbol in enumerate([*characters, *pieces]):
        place = where(len(RESERVED) + index)
        if not symbol:
            raise InputError(f"{place}: an empty symbol; take the line out")
        if symbol in seen:
            raise InputError(f"{place}: {symbol!r} for the second time; take it out")
        if len(symbol) == 1 and index >= len(characters):
            raise InputError(
                f"{place}: the character {symbol!r} after the first piece; characters "
                "come before pieces"
            )
        if not possible[index] or VISIBLE_SPACE in symbol:
            raise InputError(
                f"{place}: {symbol!r} is no piece of any text; take it out or build "
                "the vocabulary again"
            )
        seen.add(symbol)


def _matches(symbols: Sequence[str], pattern: str) -> list[bool]:
    with tf.init_scope(), tf.device("CPU:0"):
        texts = tf.constant(list(symbols), tf.string)
        return tf.strings.regex_full_match(texts, pattern).numpy().tolist()
