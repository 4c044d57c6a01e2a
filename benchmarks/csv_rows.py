"""Rows of a table in a CSV file, each a NamedTuple."""

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

Row = TypeVar("Row", bound=tuple)


def read(path: Path, kind: type[Row]) -> list[Row]:
    """The rows of a CSV file; none where there is no file.

    Args:
        path: the file, as `append` writes it.
        kind: the NamedTuple, whose annotations read a field's text.
    """
    if not path.exists():
        return []
    types: dict[str, Any] = kind.__annotations__
    with path.open(newline="", encoding="utf-8") as file:
        return [
            kind(**{name: types[name](value) for name, value in row.items()})
            for row in csv.DictReader(file)
        ]


def append(path: Path, rows: Sequence[Row]) -> None:
    """Adds rows, at least one, behind those of a CSV file: all of them or none."""
    from neural_gpu_tf.files import write_atomically

    text = io.StringIO()
    header = [type(rows[0])._fields]  # type: ignore[attr-defined]
    lines = [*header, *read(path, type(rows[0])), *rows]
    csv.writer(text, lineterminator="\n").writerows(lines)
    write_atomically(path, text.getvalue().encode())
