"""The spell-out tokens without TensorFlow: for processes that do without it."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

RESERVED = 260  # PAD, GO, EOS, SPACE and 256 bytes
VISIBLE_SPACE = "\u2581"


class PlainVocabulary(NamedTuple):
    """What `NaiveTokenizer` asks of a `Vocabulary`, from the same file."""

    symbols: list[str]  # lines of the file
    characters: list[str]
    pieces: list[str]

    @classmethod
    def load(cls, path: str | Path) -> "PlainVocabulary":
        """Reads a vocabulary file."""
        symbols = Path(path).read_text("utf-8").split("\n")[:-1]
        own = [symbol.replace(VISIBLE_SPACE, " ") for symbol in symbols[RESERVED:]]
        count = sum(len(symbol) == 1 for symbol in own)
        return cls(symbols, own[:count], own[count:])

    @property
    def byte_ids(self) -> range:
        return range(4, RESERVED)

    @property
    def character_ids(self) -> range:
        return range(RESERVED, RESERVED + len(self.characters))

    @property
    def piece_ids(self) -> range:
        return range(RESERVED + len(self.characters), len(self.symbols))


def padded(rows: Sequence[Sequence[int]]) -> list[list[int]]:
    """Rows of symbols, PAD behind the shorter ones, at least one column."""
    width = max(1, *map(len, rows))
    return [[*row, *[0] * (width - len(row))] for row in rows]
