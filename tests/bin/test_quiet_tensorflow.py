import importlib
import logging
import os
import subprocess
import sys
from pathlib import Path

import pytest
import tensorflow as tf

from neural_gpu_tf.bin.app import _is_for_the_user
from neural_gpu_tf.bin.quiet_tensorflow import _hidden


@pytest.fixture
def unknown(monkeypatch):
    """A module that nothing has imported."""
    monkeypatch.delitem(sys.modules, "wave", raising=False)
    monkeypatch.setenv("KERAS_BACKEND", "tensorflow")
    return "wave"


def test_what_is_hidden_can_be_imported_after_it(unknown):
    with _hidden((unknown,)):
        with pytest.raises(ImportError):
            importlib.import_module(unknown)
    assert unknown not in sys.modules
    assert importlib.import_module(unknown)


def test_what_is_imported_or_the_backend_is_not_hidden(unknown, monkeypatch):
    with _hidden(("json",)):
        assert importlib.import_module("json") is sys.modules["json"]
    assert "json" in sys.modules
    monkeypatch.setenv("KERAS_BACKEND", unknown)
    with _hidden((unknown,)):
        assert importlib.import_module(unknown)


def test_a_binary_imports_tensorflow_alone_and_unseen_by_the_garbage_collector():
    program = (
        "import gc, sys; from neural_gpu_tf.bin.quiet_tensorflow import *; "
        "import_tensorflow(); print(gc.isenabled(), gc.get_freeze_count() > 100_000, "
        "len(gc.get_objects()), [x for x in UNUSED if x in sys.modules]); "
        "import matplotlib, tensorflow"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True)
    assert done.returncode == 0, done.stderr
    enabled, frozen, seen, imported = done.stdout.split()
    assert (enabled, frozen, imported) == (b"True", b"True", b"[]")
    assert int(seen) < 10_000


def test_a_binary_runs_on_tensorflow_whatever_keras_is_set_to():
    env = os.environ | {"KERAS_BACKEND": "jax"}
    program = "from neural_gpu_tf.bin.solve import cli; cli()"
    done = subprocess.run(
        [sys.executable, "-c", program, "1011 + 110"],
        capture_output=True,
        text=True,
        env=env,
    )
    assert (done.returncode, done.stdout) == (0, "10001\n"), done.stderr


def test_ctrl_c_while_tensorflow_is_imported_is_one_line(tmp_path):
    """Something that TensorFlow imports stands for the user's hand."""
    (tmp_path / "astunparse.py").write_text("raise KeyboardInterrupt\n")
    program = (
        "import sys; from neural_gpu_tf.bin import app; sys.argv = ['solve', '1 + 1']\n"
        "def main(argv): pass\n"
        "app.run(main)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
    )
    assert (done.returncode, done.stderr) == (130, "solve: interrupted\n")


def test_what_tensorflow_tells_of_its_own_workings_is_not_shown():
    def shown(path, level, message):
        record = logging.LogRecord("absl", level, path, 1, message, (), None)
        return _is_for_the_user(record)

    inside = str(Path(tf.__file__).parent / "python" / "a.py")
    retraced = "5 out of the last 9 calls to <f> triggered tf.function retracing."
    assert not shown(inside, logging.WARNING, retraced)
    assert not shown(inside, logging.INFO, "b")
    assert shown(inside, logging.WARNING, "b")
    assert shown("/neural_gpu_tf/a.py", logging.INFO, "b")
    assert shown("/home/me/tensorflow/neural_gpu_tf/a.py", logging.INFO, "b")
