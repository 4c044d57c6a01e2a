"""One warning for all faulty lines of a file."""

from absl import logging


class FaultyLines:
    """Counts lines, to warn of all of them at once."""

    def __init__(self) -> None:
        self.found, self.first = 0, 0

    def count(self, number: int, wrong: bool) -> None:
        """Counts line `number`, from 1, if it is `wrong`."""
        if wrong:
            self.found += 1
            self.first = self.first or number

    def warn(self, where: str, what: str) -> None:
        """Warns of all of them in one line, if there are some."""
        if self.found == 1:
            logging.warning("%s:%d: %s", where, self.first, what)
        elif self.found:
            logging.warning(
                "%s:%d and %d more lines: %s", where, self.first, self.found - 1, what
            )
