import json
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.slow
@pytest.mark.parametrize("replicas", [1, 2])
def test_a_run_that_is_killed_ends_as_one_that_is_not(replicas):
    program = Path(__file__).with_name("kills.py")
    flags = ["--kills=8", "--writing=3", "--steps=400", f"--replicas={replicas}"]
    command = [sys.executable, program, *flags]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["equal"] and result["kills"] == 8 and result["writing"] >= 3
