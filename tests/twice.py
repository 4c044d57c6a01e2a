"""A command that is called again, and makes nothing again."""

import subprocess
import sys


def printed_twice(module, *arguments):
    """What a benchmark prints, which is the same the second time."""
    outputs = []
    for _ in range(2):
        command = [sys.executable, "-m", f"benchmarks.{module}", *arguments]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        outputs.append(done.stdout)
    assert outputs[0] == outputs[1]
    return outputs[0]
