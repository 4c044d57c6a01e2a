"""Versions are written whole or not at all."""

import os
import subprocess
import sys

import pytest
import tensorflow as tf
from small_files import small_files

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.files import hidden
from neural_gpu_tf.serving.saved_model import write_version


def listing(directory):
    return sorted(path.name for path in directory.iterdir())


def test_a_disk_that_fills_up_under_tensorflow(tmp_path):
    module = tf.Module()
    module.weights = tf.Variable(tf.zeros(1000))
    told = "1: can't write it: .*; choose another"
    with small_files(), pytest.raises(InputError, match=told):
        write_version(tmp_path, None, lambda path: tf.saved_model.save(module, path))
    assert listing(tmp_path) == []


def test_two_exports_at_once_and_one_that_was_ended(tmp_path):
    ended = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"], stdout=subprocess.PIPE
    )
    name = hidden(tmp_path / "1.ab").name
    left = tmp_path / name.replace(f".{os.getpid()}.", f".{int(ended.stdout)}.")
    left.mkdir()
    (left / "variables").touch()

    def write(path):
        with pytest.raises(InputError, match="1: can't write it: full"):
            write_version(tmp_path, 1, fail)
        (path / "saved_model.pb").touch()

    def fail(path):
        raise OSError(28, "full")

    write_version(tmp_path, 1, write)
    assert listing(tmp_path) == ["1"] and listing(tmp_path / "1") == ["saved_model.pb"]
