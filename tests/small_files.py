"""A disk without room."""

import contextlib
import resource
from pathlib import Path

import pytest

NEEDS_DEV_FULL = pytest.mark.skipif(
    not Path("/dev/full").exists(), reason="this system has no /dev/full"
)


@contextlib.contextmanager
def small_files(size=1_000):
    """No file grows beyond so many bytes: writing fails as it does on a full disk.

    Not a fixture: pytest's own report would be written within it.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
