"""A process that is asked and answers by lines of JSON."""

import json
import subprocess
import sys
from typing import Any


class JsonProcess:
    """A module of this folder, run as a process of its own.

    Args:
        name: what messages call it.
        module: the module's name.
        arguments: of its command line.
        python: which runs it; this one if not given.
    """

    def __init__(self, name: str, module: str, *arguments: str, python: str = ""):
        self.name = name
        self.process = subprocess.Popen(
            [python or sys.executable, "-m", f"benchmarks.{module}", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def answer(self) -> dict[str, Any]:
        """The next object that it writes; what TensorFlow prints beside is skipped.

        Raises:
            RuntimeError: it has ended; the message has the command that shows why.
        """
        for line in self.process.stdout:
            if line.startswith("{"):
                return json.loads(line)
        raise RuntimeError(
            f"{self.name}: the process ended ({self.process.wait()}); run "
            f"`{' '.join(self.process.args)}` to see why"
        )

    def ask(self, question: Any) -> dict[str, Any]:
        """Writes a line of JSON; the answer."""
        print(json.dumps(question), file=self.process.stdin, flush=True)
        return self.answer()

    def end(self) -> dict[str, Any]:
        """Ends its input; what it says last."""
        self.process.stdin.close()
        return self.answer()
