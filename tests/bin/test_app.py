"""How the binaries fail: one line on standard error and a status."""

import errno
import io
import sys

import pytest
import tensorflow as tf

from neural_gpu_tf.bin import app
from neural_gpu_tf.errors import InputError


def full(name):
    return OSError(errno.ENOSPC, "No space left on device", name)


def out_of_memory():
    heading = "Graph execution error:\n\nDetected at node ones\n"
    message = heading + "OOM when allocating a tensor\n\t [[{{node ones}}]]"
    return tf.errors.ResourceExhaustedError(None, None, message)


@pytest.mark.parametrize(
    "error, status, told",
    [
        (InputError("bits=0: too few"), 2, "bits=0: too few"),
        (PermissionError(13, "Permission denied", "a.txt"), 2, "a.txt: Permission den"),
        (full("runs/a"), 2, "runs/a: No space left on device"),
        (full(None), 2, "output: No space left on device"),
        (KeyboardInterrupt(), 130, "interrupted"),
        (MemoryError(), 2, "not enough memory (MemoryError); take smaller batches"),
        (out_of_memory(), 2, "not enough memory (OOM when allocating a tensor); take"),
    ],
)
def test_what_ends_a_program_is_told_in_one_line(
    error, status, told, capsys, monkeypatch
):
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    argv = ["/usr/bin/neural-gpu-solve"]
    with pytest.raises(SystemExit) as end, app._failures_told(argv):
        raise error
    assert end.value.code == status
    err = capsys.readouterr().err
    assert err.startswith(f"neural-gpu-solve: {told}") and err.count("\n") == 1
    assert sys.stdout.closed == isinstance(error, OSError)  # not written to again


def test_a_fault_of_ours_keeps_its_traceback():
    with pytest.raises(OSError, match="^$"), app._failures_told(["solve"]):
        raise OSError  # of no file
    with pytest.raises(ZeroDivisionError), app._failures_told(["solve"]):
        raise ZeroDivisionError


def test_an_argument_that_is_not_utf_8_is_told():
    with pytest.raises(InputError, match="^'--run_dir=d.*': not UTF-8; rename"):
        app._parsed(["train", "--run_dir=d\udce9"], "")


def test_another_locale_is_told(monkeypatch):
    monkeypatch.setattr(sys, "getfilesystemencoding", lambda: "iso8859-1")
    with pytest.raises(InputError, match="^'--run_dir=lü': the locale is not one of"):
        app._parsed(["train", "--run_dir=lü"], "")
