import contextlib
import gc
import os

import keras
import pytest
import tiny
from absl import logging

from neural_gpu_tf.options import DataConfig, TrainingConfig
from neural_gpu_tf.runs import RunConfig, RunDirectory
from neural_gpu_tf.weights import save_weights

# Of a binary that a test runs in its own process the logs are not what is looked at:
# they stay where they go, apart from what it prints.
logging.get_absl_handler().python_handler.setStream = lambda stream: None


def pytest_collection_finish():
    gc.freeze()  # what is imported stays: no collection need walk through it


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


@pytest.fixture
def set_floatx():
    """Sets Keras's default dtype, until the test ends."""
    before = keras.config.floatx()
    yield keras.config.set_floatx
    keras.config.set_floatx(before)


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


@pytest.fixture(scope="session")
def exported(tmp_path_factory):
    """Version 1 of an export of the tiny translator, to be read only.

    Processes that test side by side share it: the first one to write it.
    """
    from neural_gpu_tf.serving import export

    own = tmp_path_factory.getbasetemp()
    shared = own.parent / "exported" if "PYTEST_XDIST_WORKER" in os.environ else own
    folder = shared / "translator"
    if not folder.exists():
        written = export(tiny.translator(), tmp_path_factory.mktemp("export"))
        shared.mkdir(exist_ok=True)
        with contextlib.suppress(OSError):  # another one was faster
            written.parent.rename(folder)
    return folder / "1"
