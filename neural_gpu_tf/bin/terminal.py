"""Output to a terminal, with what would command the terminal made visible."""

import io
import os
import re
import sys
from typing import BinaryIO, cast

_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


def printable(text: str) -> str:
    r"""The text with control characters, but for \t, \n and \r, as \x1b and the like.

    Texts of a corpus or of a model may hold escape sequences, which a terminal would
    follow: move, recolour, or type for the user.
    """
    return _CONTROLS.sub(lambda match: f"\\x{ord(match[0]):02x}", text)


class _Terminal(io.TextIOWrapper):
    """A text stream that writes what is printable."""

    def write(self, text: str) -> int:
        super().write(printable(text))
        return len(text)


class _Bytes(io.BufferedIOBase):
    """A stream of UTF-8 that writes what is printable."""

    def __init__(self, stream: _Terminal):
        self._stream = stream

    def writable(self) -> bool:
        return True

    def write(self, content: bytes) -> int:
        self._stream.write(bytes(content).decode("utf-8", "replace"))
        self._stream.flush()
        return len(content)


def guard_standard_streams() -> None:
    """Makes standard output and error write what is printable, if to a terminal.

    If not, output is UTF-8, whatever the locale, and so is what is told of errors. One
    that is closed, as `>&-` has it, takes what is written and drops it; closed standard
    input is empty.
    """
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
        elif stream.isatty() and not isinstance(stream, _Terminal):
            encoding = stream.encoding
            guarded = _Terminal(stream.detach(), encoding, "replace", None, True)
            setattr(sys, name, guarded)
        elif isinstance(stream, io.TextIOWrapper) and not isinstance(stream, _Terminal):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def standard_output() -> BinaryIO:
    """Standard output as a stream of UTF-8."""
    stream = sys.stdout
    if isinstance(stream, _Terminal):
        return cast(BinaryIO, _Bytes(stream))
    return stream.buffer
