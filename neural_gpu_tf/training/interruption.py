"""SIGTERM, SIGHUP and Ctrl-C, as a flag that the training loop looks at."""

import signal
from types import FrameType


class Interruption:
    """A context in which SIGTERM, SIGHUP and SIGINT only set `signal`, the number.

    SIGHUP comes when a terminal goes; where it is ignored (nohup), it stays so. A
    second signal acts as usual, so that a run that hangs can still be stopped.
    """

    def __init__(self) -> None:
        self.signal: int | None = None
        self._before: dict = {}

    def __enter__(self) -> "Interruption":
        for name in ("SIGTERM", "SIGINT", "SIGHUP"):
            number = getattr(signal, name, None)  # Windows has no SIGHUP
            if number is None:
                continue
            if name == "SIGHUP" and signal.getsignal(number) == signal.SIG_IGN:
                continue
            self._before[number] = signal.signal(number, self._note)
        return self

    def __exit__(self, *_: object) -> None:
        self._restore()

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.signal = number
        self._restore()

    def _restore(self) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
