import pytest
import tiny

from neural_gpu_tf.options import DataConfig, TrainingConfig
from neural_gpu_tf.runs import RunConfig, RunDirectory
from neural_gpu_tf.weights import save_weights


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


@pytest.fixture(scope="session")
def exported(tmp_path_factory):
    """Version 1 of an export of the tiny translator, to be read only."""
    from neural_gpu_tf.serving import export

    return export(tiny.translator(), tmp_path_factory.mktemp("export"))
