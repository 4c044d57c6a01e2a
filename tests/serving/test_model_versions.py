"""Which versions of a folder are served; what is loaded is pretended."""

import gc
import os
import threading
import weakref

import pytest
import tensorflow as tf

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.serving import model_versions
from neural_gpu_tf.serving.model_versions import ModelVersions, ServedVersion


class Loaded:
    """Stands for a SavedModel's object; holds itself, as TensorFlow's do."""

    def __init__(self):
        self.cycle = self


@pytest.fixture(autouse=True, scope="module")
def only_what_is_new_is_garbage():
    """Each version that is freed asks for a collection, and TensorFlow is large."""
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.fixture
def tried(monkeypatch):
    """The versions that were loaded, or tried to; a file "good" makes one good."""
    numbers = []

    def load(path):
        numbers.append(int(path.name))
        if not (path / "good").exists():
            raise OSError(f"{path} is damaged\nfor some reason")
        return ServedVersion(int(path.name), {}, Loaded())

    monkeypatch.setattr(model_versions, "load_version", load)
    return numbers


def add(directory, number, good=True):
    path = directory / str(number)
    path.mkdir()
    if good:
        (path / "good").touch()
    return path


def available(versions):
    return [number for number, state, _ in versions.states() if state == "AVAILABLE"]


def test_the_newest_is_served_and_the_one_before_is_freed(tmp_path, tried):
    add(tmp_path, 2)
    add(tmp_path, 1)
    versions = ModelVersions(tmp_path)
    assert available(versions) == [2] and tried == [2]
    assert not versions.refresh()
    before = weakref.ref(versions.get().loaded)
    add(tmp_path, 10)
    assert versions.refresh() and available(versions) == [10]
    assert versions.get().number == 10 and before() is None
    with pytest.raises(KeyError):
        versions.get(2)


def test_several_are_kept(tmp_path, tried):
    for number in (1, 2, 3):
        add(tmp_path, number)
    versions = ModelVersions(tmp_path, keep=2)
    assert available(versions) == [3, 2] and versions.get(2).number == 2


def test_one_that_is_written_again_is_loaded_anew(tmp_path, tried):
    path = add(tmp_path, 1)
    versions = ModelVersions(tmp_path)
    before = weakref.ref(versions.get().loaded)
    (path / "good").unlink()  # as by rm -rf, on its way
    assert not versions.refresh() and not versions.refresh()
    assert available(versions) == [1] and tried == [1, 1]
    path.rmdir()
    assert not versions.refresh() and available(versions) == [1]
    add(tmp_path, 1)
    assert versions.refresh() and before() is None
    assert not versions.refresh() and tried == [1, 1, 1]
    assert versions.states() == [(1, "AVAILABLE", "")]


def test_one_that_can_not_be_loaded_is_passed_over_until_it_changes(tmp_path, tried):
    add(tmp_path, 1)
    bad = add(tmp_path, 2, good=False)
    versions = ModelVersions(tmp_path)
    message = f"version 2 can't be loaded: {bad} is damaged"
    assert versions.states() == [(2, "END", message), (1, "AVAILABLE", "")]
    assert not versions.refresh() and tried == [2, 1]
    (bad / "half").touch()  # it is being copied, perhaps
    assert not versions.refresh() and tried == [2, 1, 2]
    (bad / "good").touch()
    assert versions.refresh() and versions.states() == [(2, "AVAILABLE", "")]


def test_one_that_is_being_copied_does_not_keep_the_one_before_from_serving(tmp_path):
    module = tf.Module()
    module.weights = tf.Variable(tf.zeros(1000))
    for number in ("1", "2"):
        tf.saved_model.save(module, str(tmp_path / number))
    (data,) = tmp_path.glob("2/variables/variables.data-*")
    os.truncate(data, 100)
    versions = ModelVersions(tmp_path)
    assert [state for _, state, _ in versions.states()] == ["END", "AVAILABLE"]
    assert "version 2 can't be loaded: " in versions.states()[0][2]


def test_a_version_that_is_taken_back_gives_way_to_the_one_before(tmp_path, tried):
    add(tmp_path, 1)
    bad = add(tmp_path, 3, good=False)
    new = add(tmp_path, 2)
    versions = ModelVersions(tmp_path)
    bad.rmdir()
    versions.refresh()
    assert versions.states() == [(2, "AVAILABLE", "")]
    (new / "good").unlink()
    new.rmdir()
    assert versions.refresh() and available(versions) == [1]
    os.rename(tmp_path / "1", tmp_path / "gone")  # the last one goes on
    assert not versions.refresh() and available(versions) == [1]


def test_states_can_be_asked_for_at_any_moment(tmp_path, tried):
    add(tmp_path, 1)
    versions, over, faults = ModelVersions(tmp_path), threading.Event(), []

    def ask():
        while not over.is_set():
            try:
                assert available(versions)
                versions.get()
            except Exception as error:
                faults.append(error)

    asking = threading.Thread(target=ask)
    asking.start()
    for number in range(2, 10):
        add(tmp_path, number, good=number % 2 == 0)
        versions.refresh()
    over.set()
    asking.join()
    assert faults == []


def test_a_folder_with_nothing_to_serve(tmp_path):
    with pytest.raises(InputError, match="no version is in it"):
        ModelVersions(tmp_path)
    for name in ("01", "0", "٢", "x"):
        (tmp_path / name).mkdir()
    with pytest.raises(InputError, match="no version is in it"):
        ModelVersions(tmp_path)
    (tmp_path / "1").mkdir()
    with pytest.raises(InputError, match="version 1 can't be loaded") as error:
        ModelVersions(tmp_path)
    assert "\n" not in str(error.value)
    (tmp_path / "1" / "model.onnx").touch()
    with pytest.raises(InputError, match="holds onnx; only a SavedModel is served"):
        ModelVersions(tmp_path)
    (tmp_path / "1" / "1").mkdir()
    with pytest.raises(InputError, match="name the folder that neural-gpu-export"):
        ModelVersions(tmp_path / "1")
