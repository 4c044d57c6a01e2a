"""Words and tree symbols as text that the spell-out tokenizer keeps whole.

The tokenizer (`text/pieces.py`) splits text at everything that is neither letter,
digit nor "_": "U.S." would be four pieces and "(NP" two. So all else is escaped by its
bytes in hexadecimal, and what a symbol of a tree is, is said in front of it:

    word     text               symbol   text
    cat      cat                (NP      open__NP
    U.S.     U_2eS_2e           )NP      close__NP
    n't      n_27t              PRP$     tag__PRP_24
    ,        _2c                ,        tag___2c

Each is one piece: one symbol of the vocabulary, which source and target share, or, for
a rare word, a row of letters. No word's text has "__" in it, so no word is taken for a
symbol of a tree. Source and target lines are these texts with a space between.
"""

import re
from collections.abc import Iterable

from neural_gpu_tf.errors import InputError

OPEN_MARK, CLOSE_MARK, TAG_MARK = "open__", "close__", "tag__"

_PLAIN = frozenset(b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
_ESCAPED = re.compile(r"(?:[0-9A-Za-z]|_[0-9a-f]{2})+")
NO_BREAK = "[\u00a0\u202f]"
"""A space that doesn't break, and so belongs to its word: 10\u00a0000 is one."""
_PLAIN_WORD = re.compile(rf"\S+(?:{NO_BREAK}+\S+)*")
_BYTE = re.compile(rb"_([0-9a-f]{2})")


def spell_words(words: Iterable[str]) -> str:
    """Words as a source line."""
    return " ".join(map(_escape, words))


def plain_words(line: str) -> list[str]:
    """The words of a line of text; a space that doesn't break is of its word."""
    return _PLAIN_WORD.findall(line)


def read_words(line: str, where: str) -> list[str]:
    """The words of a source line.

    Raises:
        InputError: a text that `spell_words` doesn't write; `where` names file and
            line.
    """
    return [_unescape(text, where) for text in line.split()]


def spell_symbols(symbols: Iterable[str]) -> str:
    """The symbols of a linear tree as a target line."""
    marks = {"(": OPEN_MARK, ")": CLOSE_MARK}
    return " ".join(
        marks[symbol[0]] + _escape(symbol[1:])
        if symbol[0] in marks
        else TAG_MARK + _escape(symbol)
        for symbol in symbols
    )


def read_symbols(line: str, where: str) -> list[str]:
    """The symbols of a target line.

    Raises:
        InputError: a text that `spell_symbols` doesn't write; `where` names file and
            line.
    """
    brackets = {OPEN_MARK: "(", CLOSE_MARK: ")", TAG_MARK: ""}
    symbols = []
    for text in line.split():
        mark = next((mark for mark in brackets if text.startswith(mark)), None)
        if mark is None:
            raise InputError(
                f"{where}: {text!r} is neither bracket nor tag; write the lines with "
                "neural-gpu-trees"
            )
        label = _unescape(text.removeprefix(mark), where)
        symbols.append(brackets[mark] + label)
    return symbols


def _escape(text: str) -> str:
    return "".join(
        chr(byte) if byte in _PLAIN else f"_{byte:02x}" for byte in text.encode()
    )


def _unescape(text: str, where: str) -> str:
    try:
        if _ESCAPED.fullmatch(text):
            return _BYTE.sub(_octet, text.encode()).decode()
    except UnicodeDecodeError:
        pass
    raise InputError(
        f"{where}: {text!r} is not escaped as it must be; write the lines with "
        "neural-gpu-trees"
    )


def _octet(escape: re.Match[bytes]) -> bytes:
    return bytes([int(escape[1], 16)])
