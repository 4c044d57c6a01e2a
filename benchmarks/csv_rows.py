"""Rows of a table in a CSV file, each a NamedTuple."""

import contextlib
import csv
import io
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.files import write_atomically

try:
    import fcntl
except ImportError:  # Windows: one process at a time writes to a folder there
    fcntl = None  # type: ignore[assignment]

Row = TypeVar("Row", bound=tuple)


def read(path: Path, kind: type[Row]) -> list[Row]:
    """The rows of a CSV file; none where there is no file.

    Args:
        path: the file, as `append` writes it.
        kind: the NamedTuple, whose annotations read a field's text.

    Raises:
        InputError: the file has other columns, or a row that can't be read.
    """
    if not path.exists():
        return []
    types: dict[str, Any] = kind.__annotations__
    rows = []
    with path.open(newline="", encoding="utf-8") as file:
        lines = csv.reader(file)
        header = next(lines, [])
        if header != [*types]:
            raise InputError(
                f"{path}: its columns are {','.join(header)}, not {','.join(types)}; "
                "name another folder, or move the file away"
            )
        for line in lines:
            try:
                pairs = zip(types.values(), line, strict=True)
                rows.append(kind(*(read_text(text) for read_text, text in pairs)))
            except ValueError:
                raise InputError(
                    f"{path}, line {lines.line_num}: no row of {','.join(types)}; "
                    "take the line out"
                ) from None
    return rows


def append(path: Path, rows: Sequence[Row], key: int = 0) -> None:
    """Adds rows, at least one, behind those of a CSV file: all of them or none.

    Other processes may add rows to files of the same folder.

    Args:
        path: the file.
        rows: the rows.
        key: those there with the same first `key` fields as one of them go; 0: none.
    """
    text = io.StringIO()
    header = [type(rows[0])._fields]  # type: ignore[attr-defined]
    with _alone_in(path.parent):
        new = {row[:key] for row in rows if key}
        old = [row for row in read(path, type(rows[0])) if row[:key] not in new]
        lines = [*header, *old, *rows]
        csv.writer(text, lineterminator="\n").writerows(lines)
        write_atomically(path, text.getvalue().encode())


@contextlib.contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Keeps other processes that ask for the same folder waiting."""
    if fcntl is None:
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
