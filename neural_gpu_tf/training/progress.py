"""Progress line of training."""

import contextlib
import math
import time
from collections.abc import Iterator

from absl import logging


def duration(seconds: float) -> str:
    """Hours, minutes and seconds: "1:02:03", "2:03"."""
    minutes, seconds = divmod(int(round(seconds)), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours}:{minutes:02}:{seconds:02}"
    return f"{minutes}:{seconds:02}"


class Progress:
    """Speed, and time left by the speed since the start.

    Args:
        step: the step that training starts from.
        steps: the last step.
    """

    def __init__(self, step: int, steps: int):
        self.start = step
        self.steps = steps
        self.started = self.last = time.monotonic()
        self._warned = False

    def seconds_left(self, step: int) -> float:
        """Until the last step, by the speed since the start."""
        taken = time.monotonic() - self.started
        return taken / max(step - self.start, 1) * (self.steps - step)

    @contextlib.contextmanager
    def left_out(self) -> Iterator[None]:
        """What is done within is no step, and does not count in the speed."""
        start = time.monotonic()
        yield
        self.last += time.monotonic() - start

    def line(
        self, step: int, loss: float, symbols: int, most: float = math.inf
    ) -> tuple[str, float]:
        """The line for the log, and symbols per second since the line before.

        Args:
            step: steps done.
            loss: the mean loss a symbol since the line before.
            symbols: target symbols trained on since the line before.
            most: seconds after which training ends in any case.
        """
        now = time.monotonic()
        speed = symbols / max(now - self.last, 1e-9)
        self.last = now
        left = self.seconds_left(step)
        text = (
            f"step {step}/{self.steps}  loss {loss:.4f}  {speed:,.0f} symbols/s  "
            f"{duration(max(0.0, min(left, most)))} left"
        )
        return text, speed

    def warn_of_days(self, step: int, most: float = math.inf) -> None:
        """Warns, once, if there is more than a day left; arguments as of `line`."""
        days = min(most, self.seconds_left(step)) / 86_400
        if days > 1 and not self._warned:
            self._warned = True
            logging.warning(
                "at this speed training takes %.0f days more; --config=small "
                "trains in minutes, --train_minutes ends sooner",
                days,
            )
