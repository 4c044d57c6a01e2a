import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="no /proc here")
def test_it_is_that_of_the_process_alone_and_not_of_its_parent():
    numbers = np.ones(40_000_000)  # 0.32 GB here
    code = (
        "from benchmarks.peak_memory import peak_memory; before = peak_memory(); "
        "x = bytes([1]) * 50_000_000; print(before, peak_memory())"
    )
    told = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    before, after = map(int, told.stdout.split())
    assert 5e6 < before < 1e8 < numbers.nbytes
    assert after - before > 4e7
