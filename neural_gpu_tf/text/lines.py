"""Lines of plain or gzipped UTF-8 text."""

import gzip
import os
import zlib
from collections.abc import Iterable, Iterator

from neural_gpu_tf.errors import InputError


def read_lines(path: str | os.PathLike[str]) -> Iterator[str]:
    r"""Yields the lines of a text file, one at a time.

    Only the ending, "\n" or "\r\n", is taken off; a last line without an ending is
    a line too. A lone "\r", U+0085 or U+2028 ends no line, so that line numbers
    agree with those of `wc`, `sed` and `paste`. A byte order mark is passed over.

    Args:
        path: a UTF-8 text file; one whose name ends in ".gz" is decompressed.

    Yields:
        The lines, in order.

    Raises:
        InputError: at the first `next`, when the file is missing, unreadable or
            empty; later, at a line that is not UTF-8 (the message names file:line)
            or at damage in a ".gz" file.
    """
    path = os.fspath(path)
    try:
        with open(path, "rb") as raw:
            file = gzip.GzipFile(fileobj=raw) if path.endswith(".gz") else raw
            empty = True
            for text in decoded_lines(file, path):
                empty = False
                yield text
    except FileNotFoundError as error:
        raise no_such_file(path) from error
    except OSError as error:
        raise InputError(f"{path}: can't read it: {error.strerror or error}") from error
    if empty:
        raise InputError(f"{path}: the file is empty; it must hold at least one line")


def no_such_file(path: str | os.PathLike[str]) -> InputError:
    """What to raise; of a relative name it says where the file was looked for."""
    path = os.fspath(path)
    where = "" if os.path.isabs(path) else f" in {os.getcwd()}"
    return InputError(f"{path}: no such file{where}; check the name")


def decoded_lines(
    file: Iterable[bytes], name: str, at_start: bool = True
) -> Iterator[str]:
    """The lines of an open file, as `read_lines` yields them.

    Args:
        file: unpacked lines with their endings.
        name: of the file, for messages.
        at_start: a byte order mark in front is passed over.

    Raises:
        InputError: at a line that is not UTF-8, or at damage in a ".gz" file.
    """
    number = 0
    try:
        for number, line in enumerate(file, 1):
            if line.endswith(b"\r\n"):
                line = line[:-2]
            elif line.endswith(b"\n"):
                line = line[:-1]
            text = line.decode("utf-8")
            yield text.removeprefix("\ufeff") if at_start and number == 1 else text
    except UnicodeDecodeError as error:
        raise InputError(
            f"{name}:{number}: not UTF-8 ({error.reason}, byte {error.start + 1} of "
            "the line); convert the file to UTF-8"
        ) from error
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(
            f"{name}:{number + 1}: damaged .gz file ({error}); fetch it again"
        ) from error
