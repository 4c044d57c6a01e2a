"""Training goes on from what is whole, whatever happened to the rest."""

import os
import resource
import shutil

import numpy as np
import pytest
import tensorflow as tf
import toy

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.training import checkpoints as checkpoints_module
from neural_gpu_tf.training.checkpoints import Checkpoints

LAST = "checkpoints/ckpt-6"


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A run of 6 steps with a checkpoint every 2, and its weights at the end."""
    path = tmp_path_factory.mktemp("whole") / "run"
    trainer = toy.trainer(path, train_steps=6, checkpoint_every=2, keep_checkpoints=3)
    trainer.train()
    return path, toy.weights(trainer.model)


def resumed(path):
    return toy.trainer(path, train_steps=6, checkpoint_every=2, keep_checkpoints=3)


def cut(path):
    path.write_bytes(path.read_bytes()[:-40])


def flip(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def empty(path):
    path.write_bytes(b"")


def garbage(path):
    path.write_bytes(b"\xff\x00 garbage {\n")


def another(path):
    path.write_text('model_checkpoint_path: "/nowhere/ckpt-9"\n')


def remove(path):
    path.unlink()


@pytest.mark.parametrize(
    "name, fault, step",
    [
        (f"{LAST}.data-00000-of-00001", flip, 4),
        *(("checkpoints/checkpoint", x, 6) for x in (garbage, remove)),
        ("checkpoints/checkpoint", another, 6),
    ],
)
def test_a_run_resumes_from_what_is_whole(whole, tmp_path, caplog, name, fault, step):
    path, expected = whole
    run = tmp_path / "run"
    shutil.copytree(path, run)
    fault(run / name)
    trainer = resumed(run)
    trainer.restore()
    assert trainer.step == step
    assert "damaged" in caplog.text or "whole" in caplog.text
    trainer.train()
    assert toy.equal(toy.weights(trainer.model), expected)
    again = resumed(run)
    caplog.clear()
    again.restore()
    assert (again.step, caplog.text.count("whole")) == (6, 0)


@pytest.mark.parametrize(
    "name, fault",
    [
        *((f"{LAST}.data-00000-of-00001", x) for x in (cut, empty, remove)),
        *((f"{LAST}.index", x) for x in (cut, flip, empty, remove, garbage)),
    ],
)
def test_what_is_damaged_is_passed_over(whole, tmp_path, caplog, name, fault):
    run = tmp_path / "run"
    shutil.copytree(whole[0], run)
    fault(run / name)
    checkpoints = Checkpoints({}, run / "checkpoints", keep=3)
    assert checkpoints.newest == os.fspath(run / "checkpoints" / "ckpt-4")
    assert "damaged" in caplog.text or "whole" in caplog.text


@pytest.mark.parametrize("damaged, read", [([], [6]), ([6], [6, 4])])
def test_those_older_than_a_whole_one_are_not_read(whole, monkeypatch, damaged, read):
    """A start of many workers reads gigabytes from one disk."""
    seen = []

    def fault(path):
        seen.append(int(path.rpartition("-")[2]))
        return "so" if seen[-1] in damaged else ""

    monkeypatch.setattr(checkpoints_module, "_fault", fault)
    found = checkpoints_module.sound_checkpoints(whole[0] / "checkpoints", most=1)
    assert seen == read
    assert [int(path.rpartition("-")[2]) for path in found] == sorted(
        {2, 4, 6} - set(damaged)
    )


def test_where_none_is_whole_nothing_begins_anew_in_silence(whole, tmp_path):
    run = tmp_path / "run"
    shutil.copytree(whole[0], run)
    for file in (run / "checkpoints").glob("*.data*"):
        empty(file)
    with pytest.raises(InputError, match="no checkpoint is whole; restore one") as e:
        resumed(run)
    assert "remove" not in str(e.value) and "\n" not in str(e.value)
    for file in (run / "checkpoints").glob("ckpt*"):
        file.unlink()
    with pytest.raises(InputError, match="no checkpoint is whole"):
        resumed(run)


def test_what_a_kill_in_the_first_checkpoint_leaves_is_no_checkpoint(tmp_path):
    left = tmp_path / "run" / "checkpoints" / "ckpt-2_temp"
    left.mkdir(parents=True)
    (left / "part-00000-of-00001.data-00000-of-00001").write_bytes(b"x")
    (left.parent / "ckpt-2.data-00000-of-00001").write_bytes(b"x")
    trainer = resumed(tmp_path / "run")
    trainer.restore()
    assert trainer.step == 0 and not left.exists()
    trainer.train()
    assert resumed(tmp_path / "run").checkpoints.newest.endswith("ckpt-6")


def test_a_disk_that_is_full_leaves_the_last_checkpoint(whole, tmp_path):
    """No file may grow beyond 3 KB here: writing fails as on a full disk."""
    run = tmp_path / "run"
    shutil.copytree(whole[0], run)
    trainer = toy.trainer(run, train_steps=8, checkpoint_every=2)
    trainer.restore()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (3_000, hard))
    try:
        with pytest.raises(InputError, match="no checkpoint can be written") as error:
            trainer.checkpoints.save(8)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert "\n" not in str(error.value)
    assert not list((run / "checkpoints").glob("ckpt-8*"))
    trainer = resumed(run)
    trainer.restore()
    assert trainer.step == 6
    trainer.checkpoints.save(8)


def test_weights_that_are_no_numbers_are_never_saved(whole, tmp_path):
    run = tmp_path / "run"
    shutil.copytree(whole[0], run)
    trainer = toy.trainer(run, train_steps=8, checkpoint_every=1)
    trainer.restore()
    weights = toy.weights(trainer.model)
    for value in (np.nan, 8e35):
        weights[0].flat[3] = value
        trainer.model.set_weights(weights)
        with pytest.raises(InputError, match="step 6: the weight .* has a value") as e:
            trainer._check_finite(6, [])
        assert "lower --learning_rate" in str(e.value)
    assert (run / "diverged.txt").read_text().startswith("step 6: the weight")
    assert resumed(run).checkpoints.newest == os.fspath(run / LAST)


def test_old_ones_are_removed_after_the_state_file_was_written_anew(tmp_path):
    content = {"number": tf.Variable(1.0)}
    for steps in ((2, 4, 6), (8, 10, 12)):
        checkpoints = Checkpoints(content, tmp_path, keep=3)
        for step in steps:
            checkpoints.save(step)
        left = {path.stem for path in tmp_path.glob("*.index")}
        assert left == {f"ckpt-{step}" for step in steps}
        (tmp_path / "checkpoint").unlink()


def test_an_old_one_is_removed_when_the_new_one_is_on_the_disk(tmp_path, monkeypatch):
    def to_disk(path):
        synced.append((path.suffix, len(list(tmp_path.glob("*.index")))))

    monkeypatch.setattr(checkpoints_module, "to_disk", to_disk)
    synced = []
    content = {"number": tf.Variable(1.0)}
    checkpoints = Checkpoints(content, tmp_path, keep=1)
    checkpoints.save(1)
    synced.clear()
    checkpoints.save(2)
    files = [".data-00000-of-00001", ".index"]
    assert sorted(synced[:2]) == [(name, 2) for name in files]
    assert synced[2:] == [("", 2), ("", 1)]
