"""One process at a time trains in a run directory."""

import json
import os
import socket
import sys
import weakref
from pathlib import Path
from typing import IO

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.files import no_link, read_json

if sys.platform != "win32":
    import fcntl


class RunLock:
    """A file lock for the object's life; the system releases that of a dead process.

    The file says who holds it: {"host": …, "process": …}. On Windows it only says so.

    Args:
        path: the file; made if there is none.

    Raises:
        InputError: another process holds it, whose host and process are named; or it
            can't be written.
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
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._file.truncate(0)
            self._file.write(f"{json.dumps(holder)}\n".encode())
        except BlockingIOError as error:
            raise InputError(
                f"{path.parent}: {_holder(path)} is training here; wait until it "
                "ends, or name another --run_dir"
            ) from error
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


def _holder(path: Path) -> str:
    try:
        holder = read_json(path)
        return f"process {holder['process']} of {holder['host']}"
    except (ValueError, KeyError, TypeError):
        return "another process"
