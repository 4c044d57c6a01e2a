"""Progress line on a terminal while text is read."""

import time
from typing import TextIO

_EVERY = 0.2  # seconds


class Progress:
    """Shows bytes done, sentences a second and the time left, on a terminal only.

        counting  45%  12.3 of 27.1 MB  41,000 sentences/s  0:08 left

    Args:
        total: the number of bytes to read.
        stream: where to write; nothing is written unless it is a terminal.
    """

    def __init__(self, total: int, stream: TextIO):
        self.sentences = 0
        self._total = max(1, total)
        self._stream = stream
        self._visible = stream.isatty()
        self._start = time.monotonic()
        self._drawn = self._start

    def at(self, done: int) -> None:
        """Says that `done` bytes are read; draws now and then."""
        now = time.monotonic()
        if self._visible and now - self._drawn >= _EVERY:
            self._drawn = now
            self._stream.write(f"\r{self._line(done, now - self._start)}\x1b[K")
            self._stream.flush()

    def close(self) -> None:
        """Takes the line away."""
        if self._visible:
            self._stream.write("\r\x1b[K")
            self._stream.flush()

    def _line(self, done: int, seconds: float) -> str:
        share = min(1.0, done / self._total)
        left = round(seconds * (1 - share) / share) if share else 0
        return (
            f"counting {share:4.0%}  {done / 1e6:,.1f} of {self._total / 1e6:,.1f} MB"
            f"  {self.sentences / seconds:,.0f} sentences/s"
            f"  {left // 60}:{left % 60:02} left"
        )
