"""Files that readers see whole or not at all."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A path beside `path` to write to, which takes its place at the end.

    If what is within raises, `path` stays as it was and nothing is left beside it.
    """
    path = Path(path)
    beside = path.with_name(f".{os.getpid()}.{path.name}")
    try:
        yield beside
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def write_atomically(path: str | os.PathLike[str], content: bytes) -> None:
    """Writes a file; readers see the old content or the new one, never a part."""
    with replacing(path) as beside:
        beside.write_bytes(content)
