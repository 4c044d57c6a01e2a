"""The most memory that this process has had."""

import resource
from pathlib import Path

_STATUS = Path("/proc/self/status")


def peak_memory() -> int:
    """Bytes, of this program alone.

    What `getrusage` tells begins, on Linux, with what the process had that started
    this one. Where there is no /proc it is told all the same.
    """
    if _STATUS.exists():
        for line in _STATUS.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return 1024 * int(line.split()[1])
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
