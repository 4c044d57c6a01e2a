import json
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize(
    "flags",
    [
        ["--requests=200", "--swaps=1", "--slow=8", "--seconds=5"],
        pytest.param(
            ["--requests=2000", "--slow=80", "--seconds=10"], marks=pytest.mark.slow
        ),
    ],
)
def test_good_requests_are_answered_among_hostile_ones_and_swaps(flags):
    program = Path(__file__).with_name("hostile_requests.py")
    done = subprocess.run(
        [sys.executable, program, *flags], capture_output=True, text=True
    )
    assert done.stdout, done.stderr
    result = json.loads(done.stdout)
    assert result["failed"] == [] and result["wrong"] == []
    assert done.returncode == 0 and result["held"], result
    good = int(flags[0].removeprefix("--requests=")) // 2
    assert result["good"] == good and result["meanwhile"] > 0
    assert len(result["hostile"]) == 20 and len(result["versions"]) > 1
