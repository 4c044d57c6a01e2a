"""A lock that another machine holds, or held when it was lost."""

import errno
import json
import logging
import threading

import pytest
from lock_holder import holding

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.runs import run_lock


@pytest.fixture
def held(tmp_path):
    """A lock file that a process of another machine holds, as it says; the process."""
    path = tmp_path / "lock"
    with holding(path) as process:
        path.write_text(json.dumps({"host": "elsewhere", "process": process.pid}))
        yield path, process


def test_that_of_a_machine_that_is_lost_is_waited_for(held, caplog):
    path, process = held
    timer = threading.Timer(1, process.kill)
    timer.start()
    with caplog.at_level(logging.INFO, "absl"):
        lock = run_lock.RunLock(path)
    timer.join()
    assert f"{path}: locked by process {process.pid} of elsewhere; waiting 120 s" in (
        caplog.text
    )
    assert len(caplog.messages) == 1
    assert json.loads(path.read_text())["host"] != "elsewhere"
    del lock


def test_it_is_not_waited_for_without_end(held, monkeypatch):
    path, process = held
    monkeypatch.setattr(run_lock, "LEASE", 0.0)
    with pytest.raises(InputError, match=f"process {process.pid} of elsewhere is trai"):
        run_lock.RunLock(path)


def test_a_disk_without_locks_is_told(tmp_path, monkeypatch):
    def refuse(*_):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(run_lock.fcntl, "flock", refuse)
    with pytest.raises(InputError, match="lock: can't be locked .No locks av"):
        run_lock.RunLock(tmp_path / "lock")
