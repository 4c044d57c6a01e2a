"""Processor cores that this process may use."""

import contextlib
import math
import os
from pathlib import Path

CGROUP = Path("/sys/fs/cgroup")
"""Where a container's limits stand (cgroup v2)."""


def usable_cores() -> int:
    """How many cores this process may use, at least 1.

    The lesser of those that it may run on (on macOS, of all that there are) and of the
    processor time that its container has, rounded up to whole cores.
    """
    if hasattr(os, "sched_getaffinity"):
        cores = len(os.sched_getaffinity(0))
    else:
        cores = os.cpu_count() or 1
    with contextlib.suppress(OSError, ValueError):  # no container, or "max": no limit
        quota, period = map(int, (CGROUP / "cpu.max").read_text("ascii").split())
        cores = min(cores, math.ceil(quota / period))
    return max(1, cores)
