import json
import shutil
import subprocess
import sys
from pathlib import Path

import hostile_requests
import pytest


def check(result, good):
    assert result["failed"] == [] and result["wrong"] == []
    assert result["held"], result
    assert result["good"] == good and result["meanwhile"] > 0
    assert len(result["hostile"]) == 20


@pytest.mark.slow
def test_good_requests_are_answered_among_hostile_ones_and_a_swap(exported, tmp_path):
    shutil.copytree(exported, tmp_path / "1")
    result = hostile_requests.run(tmp_path, requests=96, swaps=1, slow=4, seconds=5)
    check(result, 48)
    assert result["versions"] == [1, 2]


@pytest.mark.slow
def test_the_program():
    program = Path(__file__).with_name("hostile_requests.py")
    flags = ["--requests=2000", "--slow=80", "--seconds=10"]
    done = subprocess.run(
        [sys.executable, program, *flags], capture_output=True, text=True
    )
    assert done.stdout, done.stderr
    assert done.returncode == 0
    check(json.loads(done.stdout), 1_000)
