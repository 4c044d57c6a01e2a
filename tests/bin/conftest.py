import importlib
import io
import sys
from typing import NamedTuple

import pytest
import tiny
from absl import app, flags

from neural_gpu_tf.data import DataConfig
from neural_gpu_tf.runs import RunConfig, RunDirectory
from neural_gpu_tf.training import TrainingConfig
from neural_gpu_tf.weights import save_weights


class Answer(NamedTuple):
    status: int
    out: str
    err: str


@pytest.fixture
def run_binary(monkeypatch, capsys):
    """Runs a binary in this process, with flags of its own."""
    app.define_help_flags()

    def run(name: str, *arguments: str, stdin: bytes = b"") -> Answer:
        known = set(flags.FLAGS)
        module = importlib.import_module(f"neural_gpu_tf.bin.{name}")
        monkeypatch.setattr(sys, "argv", [f"neural-gpu-{name}", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        status = 0
        try:
            module.cli()
        except SystemExit as end:
            status = end.code or 0
        finally:
            for flag in set(flags.FLAGS) - known:
                delattr(flags.FLAGS, flag)
            flags.FLAGS.unparse_flags()
            del sys.modules[module.__name__]
        return Answer(status, *capsys.readouterr())

    return run


def write_run(path, vocabulary, model, data=None):
    """A run of a tiny model, as training leaves it; returns its path."""
    directory = RunDirectory(path)
    directory.write_config(
        RunConfig(
            data or DataConfig(),
            tiny.MODEL,
            TrainingConfig(),
            tiny.DECODING,
            len(vocabulary),
            vocabulary.fingerprint(),
        )
    )
    vocabulary.save(directory.vocabulary)
    for which in ("best", "last"):
        save_weights(model, directory.weights(which))
    return directory.path


@pytest.fixture(scope="session")
def new_run():
    """`write_run`, for tests that need another run."""
    return write_run


@pytest.fixture(scope="session")
def run_dir(tmp_path_factory):
    """A run of the tiny model, as training leaves it."""
    data = DataConfig(validation_examples=4, train_examples=4)
    path = tmp_path_factory.mktemp("run")
    return write_run(path, tiny.vocabulary(), tiny.model(), data)
