import json
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("atheris", reason="atheris is not installed")


@pytest.mark.slow
@pytest.mark.parametrize("target", ["requests", "vocabulary", "trees"])
def test_whatever_the_bytes_are(target, tmp_path):
    program = Path(__file__).with_name("guided.py")
    command = [sys.executable, program, f"--target={target}", "--runs=3000"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr[-2_000:]
    result = json.loads(done.stdout)
    assert result["runs"] == 3_000 and result["answered"] > 0
