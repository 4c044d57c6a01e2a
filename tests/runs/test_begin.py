"""What a run directory refuses, and what it cleans up, when training starts."""

import dataclasses
import errno
import gc
import json
import os
import re
import resource
import subprocess
import sys

import pytest
import tiny
from lock_holder import holding

from neural_gpu_tf.data import TextFiles
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.options import DataConfig, TrainingConfig
from neural_gpu_tf.runs import RunConfig, RunDirectory
from neural_gpu_tf.weights import save_weights
from neural_gpu_tf.workflows import score_translation

CONFIG = RunConfig(
    DataConfig(max_length=20),
    tiny.MODEL,
    TrainingConfig(learning_rate=0.25),
    tiny.DECODING,
    len(tiny.vocabulary()),
    tiny.vocabulary().fingerprint(),
)


def begin(path, config=CONFIG, **data):
    directory = RunDirectory(path)
    directory.begin(config, ["train"], tiny.vocabulary(), data)
    return directory


def refusal(path, config=CONFIG, **data):
    with pytest.raises(InputError) as error:
        begin(path, config, **data)
    assert "\n" not in str(error.value)
    return str(error.value)


def test_one_process_at_a_time(tmp_path):
    run = tmp_path / "run"
    first, again = begin(run), begin(run)  # one process may start twice
    del first, again
    gc.collect()
    with holding(run / "lock") as process:
        message = refusal(run)
        assert f"process {process.pid} of " in message and str(run) in message
        process.kill()  # the system lets go of a dead one's
        process.wait()
    begin(run)


def test_a_run_without_weights_is_none_to_start_with(tmp_path):
    begin(tmp_path / "there")
    training = dataclasses.replace(CONFIG.training, init_from=str(tmp_path / "there"))
    here = dataclasses.replace(CONFIG, training=training)
    assert "best.weights.h5: missing" in refusal(tmp_path / "here", here)
    assert not (tmp_path / "here").exists()


def test_checkpoints_without_their_configuration(tmp_path):
    begin(tmp_path).checkpoints.mkdir()
    (tmp_path / "config.json").unlink()
    message = refusal(tmp_path)
    assert message.startswith(f"{tmp_path}/config.json: missing beside the checkpoints")
    assert not (tmp_path / "config.json").exists()


def test_weights_without_checkpoints_are_not_trained_over(tmp_path):
    """A mean of weights, or a run whose checkpoints were removed."""
    directory = begin(tmp_path)
    told = f"{tmp_path}: there is no checkpoint to resume from; begin another run "
    told += f"with its weights: init_from={tmp_path}"
    save_weights(tiny.model(), directory.weights("best"))
    assert refusal(tmp_path) == told
    directory.events.mkdir()  # stopped before the first checkpoint
    begin(tmp_path)
    directory.write_summary({"error": 0.5})
    assert refusal(tmp_path) == told
    directory.checkpoints.mkdir()
    assert refusal(tmp_path) == told
    (directory.checkpoints / "ckpt-3.index").touch()
    begin(tmp_path)


def test_checkpoints_that_cannot_be_read_are_not_taken_for_none(tmp_path, monkeypatch):
    """Of a stopped run, which begins anew where it has none."""
    directory = begin(tmp_path)
    save_weights(tiny.model(), directory.weights("best"))
    directory.events.mkdir()
    directory.checkpoints.mkdir()

    def listdir(path):
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(os, "listdir", listdir)
    with pytest.raises(PermissionError, match=str(directory.checkpoints)):
        begin(tmp_path)


def test_where_an_attempt_was_given_up_another_begins(tmp_path, monkeypatch):
    """Even if it had been trained to fewer steps, and is not put aside yet."""
    directory = begin(tmp_path)
    save_weights(tiny.model(), directory.weights("best"))
    directory.write_summary({"error": 0.5})
    with monkeypatch.context() as patch:
        patch.setattr(directory, "attempts", lambda: [])
        directory.give_up({"error": 0.75})
    begin(tmp_path)
    assert directory.attempts() == [{"error": 0.75}]
    assert not directory.summary.exists()


def test_other_data_are_refused(tmp_path):
    begin(tmp_path, a="1", b="2")
    begin(tmp_path, a="1", b="2")
    for data, told in (
        (dict(a="1", b="3"), "b: has changed"),
        (dict(a="1", b="2", c="3"), "c: was added"),  # of a pattern
        (dict(b="2"), "a: was removed"),
    ):
        told += f" since {tmp_path} began; restore the original data"
        assert refusal(tmp_path, **data).startswith(told)
    begin(tmp_path, a="1", b="2")


def test_what_dead_processes_left_is_removed(tmp_path):
    process = subprocess.Popen(["true"])
    process.wait()
    directory = begin(tmp_path)
    program = (
        "import os, sys; from neural_gpu_tf.files import replacing\n"
        "with replacing(sys.argv[1]) as beside:\n"
        "    beside.write_text('half'); os._exit(1)"
    )
    directory.best.mkdir()
    for path in (tmp_path / "summary.json", directory.best / "3.weights.h5"):
        subprocess.run([sys.executable, "-c", program, path])
    assert len(list(tmp_path.rglob(".*"))) == 2
    begin(tmp_path)
    assert not list(tmp_path.rglob(".*"))


@pytest.mark.parametrize("name, bytes_free", [("lock", 0), ("starts.jsonl", 50_000)])
def test_a_full_disk_is_told_in_one_line(tmp_path, name, bytes_free):
    """No file may grow beyond that: writing fails as on a full disk."""
    (tmp_path / "starts.jsonl").write_text(100_000 * "\n")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_free, hard))
    try:
        message = refusal(tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert message.startswith(f"{tmp_path / name}: can't be written (File too large)")


def test_rate_and_clip_may_change_where_a_run_has_diverged(tmp_path):
    directory = begin(tmp_path)
    training = dataclasses.replace(
        CONFIG.training, learning_rate=0.1, clip_norm=0.5, autoclip=2.0
    )
    lower = dataclasses.replace(CONFIG, training=training)
    assert "learning_rate=0.25, not 0.1" in refusal(tmp_path, lower)
    directory.diverged.write_text("step 7: the loss is nan\n")
    beta = dataclasses.replace(training, adam_beta_1=0.5)
    assert "adam_beta_1" in refusal(tmp_path, dataclasses.replace(lower, training=beta))
    begin(tmp_path, lower)
    assert directory.read_config() == lower and not directory.diverged.exists()
    assert "learning_rate=0.1, not 0.25" in refusal(tmp_path)


def test_a_run_of_a_strangers_reads_no_file_of_ours(tmp_path, saved_run):
    """Its config.json may name any; what it was validated on has a fingerprint."""
    path = saved_run.path
    for name in ("source", "target"):
        (tmp_path / name).write_text("one\ntwo\n")
    files = {f"validation_{x}": str(tmp_path / x) for x in ("source", "target")}
    data = dataclasses.replace(CONFIG.data, data="files", **files)
    saved_run.write_config(dataclasses.replace(CONFIG, data=data))
    with pytest.raises(InputError, match="not known to be the file that .*--source"):
        score_translation([path])
    fingerprints = TextFiles({"x": tuple(files.values())}).fingerprints()
    saved_run.data.write_text(json.dumps(fingerprints))
    assert score_translation([path])["examples"] == 2
    (tmp_path / "target").write_text("un\ndeux\n")
    with pytest.raises(
        InputError, match=f"{re.escape(str(tmp_path))}/target: not known"
    ):
        score_translation([path])


def test_a_run_of_a_strangers_imports_no_module(tmp_path, saved_run):
    """TFDS would import what a set's features.json names, where its code is unknown."""
    folder = tmp_path / "tfds" / "evil" / "1.0.0"
    folder.mkdir(parents=True)
    info = {"name": "evil", "version": "1.0.0", "fileFormat": "tfrecord", "splits": []}
    (folder / "dataset_info.json").write_text(json.dumps(info))
    features = {"pythonClassName": "this.Feature", "jsonFeature": {"json": "{}"}}
    (folder / "features.json").write_text(json.dumps(features))
    options = dict(data="tfds", data_dir=str(tmp_path / "tfds"))
    for name in ("evil", "evil/x", "evil:1.0.0"):
        data = dataclasses.replace(CONFIG.data, tfds_name=name, **options)
        saved_run.write_config(dataclasses.replace(CONFIG, data=data))
        with pytest.raises(InputError, match=f"its data, {name}, are no set whose"):
            score_translation([saved_run.path])
    assert "this" not in sys.modules


@pytest.mark.parametrize("name", ["lock", "starts.jsonl"])
def test_no_link_is_written_through(tmp_path, name):
    (tmp_path / "run").mkdir()
    (tmp_path / "mine").write_text("a thesis")
    (tmp_path / "run" / name).symlink_to(tmp_path / "mine")
    assert f"{name}: can't be written" in refusal(tmp_path / "run")
    assert (tmp_path / "mine").read_text() == "a thesis"


@pytest.fixture
def saved_run(tmp_path):
    directory = RunDirectory(tmp_path / "run")
    directory.make()
    tiny.vocabulary().save(directory.vocabulary)
    save_weights(tiny.model(), directory.weights("best"))
    return directory
