import errno
import os
import re
import stat

import h5py
import keras
import numpy as np
import pytest
from small_files import small_files

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.files import check_path, write_atomically
from neural_gpu_tf.models import AttentionSeq2Seq, ExtendedNeuralGPU, NeuralGPU
from neural_gpu_tf.weights import load_weights, save_weights


def model(value=1.0):
    network = keras.Sequential([keras.layers.Input([50]), keras.layers.Dense(50)])
    network.set_weights([np.full(w.shape, value) for w in network.get_weights()])
    return network


def test_what_can_not_be_written_leaves_what_was_there(tmp_path):
    path = tmp_path / "config.json"
    write_atomically(path, b"old")
    told = f"{re.escape(str(path))}: can't be written .*as it was"
    with small_files(), pytest.raises(InputError, match=told):
        write_atomically(path, bytes(2_000))
    assert path.read_bytes() == b"old" and [*tmp_path.iterdir()] == [path]


def test_where_a_folder_can_not_be_told_to_be_on_the_disk(tmp_path, monkeypatch):
    """Shared folders of virtual machines, say; a real failure is told as it is."""
    path, flush = tmp_path / "config.json", os.fsync
    told = errno.EINVAL

    def fsync(descriptor):
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(told, os.strerror(told))
        flush(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    write_atomically(path, b"new")
    assert path.read_bytes() == b"new"
    told = errno.EIO
    with pytest.raises(InputError, match="Input/output error.; it is there, but may"):
        write_atomically(path, b"newer")
    assert path.read_bytes() == b"newer"


def test_what_tensorflow_takes_for_a_pattern(tmp_path):
    for name in ("a[b", "a\\b"):
        with pytest.raises(InputError, match="TensorFlow finds no variables where"):
            check_path(tmp_path / name)
    check_path(tmp_path / "a b*?%{}é,")


def test_a_pipe_or_a_device_is_not_replaced(tmp_path):
    pipe, link = tmp_path / "pipe", tmp_path / "link"
    os.mkfifo(pipe)
    link.symlink_to("pipe")
    for path in (pipe, link):
        with pytest.raises(InputError, match=f"^{re.escape(str(path))}: a device or"):
            write_atomically(path, b"x")
    assert pipe.is_fifo() and link.is_symlink()
    assert {*tmp_path.iterdir()} == {pipe, link}


@pytest.mark.parametrize("there", [True, False])
def test_what_a_link_leads_to_is_replaced(tmp_path, there):
    folder, link = tmp_path / "folder", tmp_path / "link"
    folder.mkdir()
    if there:
        (folder / "file").write_bytes(b"old")
    link.symlink_to("folder/file")
    write_atomically(link, b"new")
    assert link.is_symlink() and link.read_bytes() == b"new"
    assert [*folder.iterdir()] == [folder / "file"]


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match="No such file or directory"):
        write_atomically(tmp_path / "none" / "file", b"x")


@pytest.mark.parametrize("path", [".", "", "/"])
def test_no_name(path):
    with pytest.raises(InputError, match=f"'{path}': no name of a file"):
        write_atomically(path, b"x")


def test_weights_have_room_before_they_are_written(tmp_path, monkeypatch):
    """HDF5 ends the process where a disk fills up under it."""
    path = tmp_path / "best.weights.h5"
    save_weights(model(), path)
    monkeypatch.setattr("shutil.disk_usage", lambda path: FREE)
    with pytest.raises(InputError, match="best.weights.h5: can't be written .*space"):
        save_weights(model(2.0), path)
    monkeypatch.setattr(FREE, "total", 0)  # a file system that does not tell
    monkeypatch.setattr(FREE, "free", 0)
    save_weights(model(), path)
    other = model(3.0)
    load_weights(other, path)
    assert (other.get_weights()[0] == 1).all() and [*tmp_path.iterdir()] == [path]


def test_weights_of_a_file_with_older_names(tmp_path):
    path = tmp_path / "best.weights.h5"
    options = dict(units=3, embedding_size=2, layers=2, bidirectional=True)
    network = AttentionSeq2Seq(9, **options)
    save_weights(network, path)
    with h5py.File(path, "r+") as file:
        encoder = file["layers/recurrent_encoder"]
        for direction in ("forward", "backward"):
            encoder.move(f"{direction}_rnns", direction)
    before, other = path.read_bytes(), AttentionSeq2Seq(9, **options)
    load_weights(other, path)
    for old, new in zip(network.get_weights(), other.get_weights(), strict=True):
        np.testing.assert_array_equal(old, new)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "larger",
    [
        lambda: NeuralGPU(9, maps=3, layers=2),
        lambda: NeuralGPU(9, maps=3, layers=1, relaxations=3),
        lambda: ExtendedNeuralGPU(9, maps=3, layers=1),
    ],
)
def test_weights_of_a_larger_model_are_refused(tmp_path, larger):
    path = tmp_path / "best.weights.h5"
    save_weights(larger(), path)
    smaller = NeuralGPU(9, maps=3, layers=1)
    before = smaller.get_weights()
    with pytest.raises(InputError, match="do not fit .*weights, not 6.; restore"):
        load_weights(smaller, path)
    for old, new in zip(before, smaller.get_weights(), strict=True):
        np.testing.assert_array_equal(old, new)


def test_a_damaged_file_of_weights_is_refused(tmp_path):
    """Wherever it is: all that h5py raises becomes one line, and some is harmless."""
    path, network = tmp_path / "best.weights.h5", model()
    save_weights(network, path)
    whole, refused = path.read_bytes(), 0
    for start in range(0, 5000, 64):
        path.write_bytes(whole[:start] + bytes(64) + whole[start + 64 :])
        try:
            load_weights(network, path)
        except InputError as error:
            assert "do not fit" in str(error) and "\n" not in str(error)
            refused += 1
    assert refused > 10


@pytest.mark.parametrize(
    "link",
    [
        lambda other: h5py.ExternalLink(str(other), "/encoder"),
        lambda other: h5py.SoftLink("/layers/embedding"),
    ],
)
def test_weights_lead_to_no_other_file(tmp_path, link):
    """Layers with older names are renamed: in a copy, not where a link leads."""
    path, other = tmp_path / "best.weights.h5", tmp_path / "other.h5"
    save_weights(model(), path)
    with h5py.File(other, "w") as file:
        file["encoder/forward/x"] = np.ones(2)
    with h5py.File(path, "r+") as file:
        file["layers/aa"] = link(other)
    before = other.read_bytes()
    with pytest.raises(InputError, match="layers/aa is a link"):
        load_weights(model(), path)
    assert other.read_bytes() == before


def test_weights_of_another_file_are_refused(tmp_path):
    path = tmp_path / "best.weights.h5"
    save_weights(model(), path)
    (tmp_path / "raw").write_bytes(bytes(8))
    with h5py.File(path, "r+") as file:
        raw = [(str(tmp_path / "raw"), 0, 8)]
        file.create_dataset("layers/x", (2,), "float32", external=raw)
    with pytest.raises(InputError, match="layers/x is a link, or in another file"):
        load_weights(model(), path)


def test_weights_without_layers_are_refused(tmp_path):
    path = tmp_path / "best.weights.h5"
    with h5py.File(path, "w") as file:
        file["layers"] = np.ones(2)
    with pytest.raises(InputError, match="layers are no groups"):
        load_weights(model(), path)


def test_a_seed_in_a_file_is_no_weight(tmp_path):
    path = tmp_path / "best.weights.h5"
    save_weights(model(2.0), path)
    with h5py.File(path, "r+") as file:
        file["layers/dropout/seed_generator/vars/0"] = np.zeros(2)
    other = model()
    load_weights(other, path)
    assert (other.get_weights()[0] == 2).all()


class FREE:
    total, free = 2**30, 2**20


@pytest.mark.parametrize("value", [np.nan, np.inf, 8e35])
def test_weights_that_are_no_numbers_are_refused(tmp_path, value):
    path = tmp_path / "last.weights.h5"
    save_weights(model(value), path)
    with pytest.raises(InputError, match="the weight .* has a value of") as error:
        load_weights(model(), path)
    assert str(path) in str(error.value) and "\n" not in str(error.value)
