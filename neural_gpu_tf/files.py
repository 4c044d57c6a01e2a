"""Files that readers see whole or not at all, also after a power cut."""

import contextlib
import errno
import json
import os
import re
import shutil
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from neural_gpu_tf.errors import InputError

_NOT_OF_FOLDERS = (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP)
_HOST = re.sub(r"[^\w-]", "-", socket.gethostname())


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A path beside `path` to write to, which takes its place at the end.

    Where `path` is a link, what it leads to is replaced. If what is within raises, it
    stays as it was and nothing is left beside it. The file and its folder's entry are
    on the disk before this ends.

    Raises:
        InputError: an OSError within, none of it can be written, or `path` is a device
            or a pipe: one line.
    """
    if not Path(path).name:
        raise InputError(f"{os.fspath(path)!r}: no name of a file; give one")
    given, path = os.fspath(path), Path(os.path.realpath(path))
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise InputError(f"{given}: a device or a pipe, not a file; name a file")
    beside = hidden(path)
    state = "what was there is as it was"
    try:
        yield beside
        to_disk(beside)
        beside.replace(path)
        state = "it is there, but may be lost in a power cut"
        to_disk(path.parent)
    except OSError as error:
        raise InputError(
            f"{given}: can't be written ({error.strerror or error}); {state}"
        ) from error
    finally:
        with contextlib.suppress(OSError):
            beside.unlink(missing_ok=True)


def hidden(path: Path) -> Path:
    """The name beside `path` that this process writes to; see `remove_leftovers`."""
    return path.with_name(f".{_HOST}.{os.getpid()}.{path.name}")


def write_atomically(path: str | os.PathLike[str], content: bytes) -> None:
    """Writes a file; readers see the old content or the new one, never a part."""
    with replacing(path) as beside:
        beside.write_bytes(content)


def read_json(path: Path) -> Any:
    """What a file of JSON holds; raises ValueError if it is none."""
    try:
        return json.loads(path.read_text("utf-8"))
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def write_json(path: Path, content: Any, indent: int | None = None) -> None:
    """Writes a file of JSON, as `write_atomically`."""
    write_atomically(path, (json.dumps(content, indent=indent) + "\n").encode())


def no_link(path: str, flags: int) -> int:
    """An `opener` for `open`; raises OSError where the file is a link.

    What it leads to may be a file of the user's that a stranger's folder names.
    """
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0), 0o666)


def to_disk(path: Path) -> None:
    """Returns when a file, or a folder's entries, are on the disk.

    Of a folder not all file systems can tell: shared folders of virtual machines, say.
    """
    folder = path.is_dir()
    descriptor = os.open(path, os.O_RDONLY if folder else os.O_RDWR)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if not folder or error.errno not in _NOT_OF_FOLDERS:
            raise
    finally:
        os.close(descriptor)


def remove_leftovers(directory: Path) -> None:
    """Removes what processes of this machine that are dead were writing to."""
    for path in directory.glob(f".{_HOST}.*"):
        process = path.name.removeprefix(f".{_HOST}.").partition(".")[0]
        if process.isdecimal() and not is_alive(int(process)):
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)


def is_alive(process: int) -> bool:
    """Whether there is a process of this number on this machine."""
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass  # of another user
    return True


def check_path(path: str | os.PathLike[str]) -> None:
    """Raises InputError if TensorFlow would take a path for a pattern."""
    for character in "[\\":
        if character in os.fspath(path):
            raise InputError(
                f"{path}: TensorFlow finds no variables where a path has a "
                f"{character}; choose another folder"
            )
