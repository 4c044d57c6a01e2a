"""A process that holds a run's lock."""

import contextlib
import subprocess
import sys

from neural_gpu_tf.runs import run_lock

# The module by its path: its package would import TensorFlow.
_PROGRAM = """
import runpy, sys
from pathlib import Path
lock = runpy.run_path(sys.argv[1])["run_lock"](Path(sys.argv[2]))
print("held", flush=True)
sys.stdin.read()
"""


@contextlib.contextmanager
def holding(path):
    """The process, while it holds the lock on a file; killed at the end."""
    command = [sys.executable, "-c", _PROGRAM, run_lock.__file__, path]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, **pipes) as process:
        assert process.stdout.readline() == b"held\n"
        yield process
        process.kill()
