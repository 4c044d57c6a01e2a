"""One process at a time trains in a run directory."""

import json
import os
import socket
import sys
import time
import weakref
from pathlib import Path
from typing import IO

from absl import logging

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.files import is_alive, no_link, read_json

if sys.platform != "win32":
    import fcntl

LEASE = 120.0
"""Seconds for which a network's disk may hold the lock of a machine that is lost."""


class RunLock:
    """A file lock for the object's life; the system releases that of a dead process.

    The file says who holds it: {"host": …, "process": …}. On Windows it only says so.
    If that is no process of this machine, the lock may be that of a lost one, and is
    waited for.

    Args:
        path: the file; made if there is none.

    Raises:
        InputError: another process holds it, whose host and process are named; or it
            can't be written, or locked.
    """

    def __init__(self, path: Path):
        holder = {"host": socket.gethostname(), "process": os.getpid()}
        try:
            # Without a buffer, which closing would try to write again.
            self._file: IO[bytes] = open(  # noqa: SIM115
                path, "a+b", buffering=0, opener=no_link
            )
            weakref.finalize(self, self._file.close)
            if sys.platform != "win32":
                _lock(self._file, path)
            self._file.truncate(0)
            self._file.write(f"{json.dumps(holder)}\n".encode())
        except OSError as error:
            raise InputError(
                f"{path}: can't be written ({error.strerror}); make room, or name "
                "another --run_dir"
            ) from error


def run_lock(path: Path) -> RunLock:
    """The lock on a file, the same one for all of this process."""
    path = path.parent.resolve() / path.name  # itself it must be no link
    held = _HELD.get(path)
    if held is None:
        _HELD[path] = held = RunLock(path)
    return held


_HELD: weakref.WeakValueDictionary[Path, RunLock] = weakref.WeakValueDictionary()


def _lock(file: IO[bytes], path: Path) -> None:
    end = time.monotonic() + LEASE
    told = False
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError as error:
            host, process = _holder(path)
            here = host == socket.gethostname() and is_alive(process)
            if here or time.monotonic() >= end:
                who = f"process {process} of {host}" if host else "another process"
                raise InputError(
                    f"{path.parent}: {who} is training here; wait until it ends, or "
                    "name another --run_dir"
                ) from error
        except OSError as error:
            raise InputError(
                f"{path}: can't be locked ({error.strerror}); --run_dir must be on a "
                "disk that locks files"
            ) from error
        if not told:
            logging.info(
                "%s: locked by process %d of %s; waiting %.0f s, in case that is lost",
                *(path, process, host or "another machine", LEASE),
            )
        told = True
        time.sleep(0.5)


def _holder(path: Path) -> tuple[str, int]:
    """Host and process that hold the lock; ("", 0): it doesn't say."""
    try:
        holder = read_json(path)
        return str(holder["host"]), int(holder["process"])
    except (ValueError, KeyError, TypeError):
        return "", 0
