"""A process that is asked and answers by lines of JSON."""

import json
import shlex
import subprocess
import sys
from typing import Any

from neural_gpu_tf.errors import InputError


class ProcessEnded(InputError):
    """A process ended where an answer was awaited."""


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
        self.command = [python or sys.executable, "-m", f"benchmarks.{module}"]
        self.command += arguments
        self.process = subprocess.Popen(
            self.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert self.process.stdin and self.process.stdout
        self.input, self.output = self.process.stdin, self.process.stdout

    def answer(self) -> dict[str, Any]:
        """The next object that it writes; what TensorFlow prints beside is skipped.

        Raises:
            ProcessEnded: it has; the message has the command that shows why.
        """
        for line in self.output:
            if line.startswith("{"):
                return json.loads(line)
        raise ProcessEnded(
            f"{self.name}: the process ended ({self.process.wait()}); run "
            f"`{shlex.join(self.command)}` to see why"
        )

    def ask(self, question: Any) -> dict[str, Any]:
        """Writes a line of JSON; the answer."""
        print(json.dumps(question), file=self.input, flush=True)
        return self.answer()

    def end(self) -> dict[str, Any]:
        """Ends its input; what it says last."""
        self.input.close()
        return self.answer()
