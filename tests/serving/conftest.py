import pytest
import small_server

from benchmarks.http_server import serving


@pytest.fixture(scope="session")
def server(exported):
    """neural-gpu-serve of the tiny translator; the last test of it ends it."""
    with serving(exported.parent, *small_server.FLAGS) as running:
        yield running
