import dataclasses
import json
import shutil

import numpy as np
import pytest
import tensorflow as tf
import tiny
import toy

from neural_gpu_tf.data import TextFiles
from neural_gpu_tf.models import build_model
from neural_gpu_tf.options import TrainingConfig
from neural_gpu_tf.runs import RunDirectory, load_run, load_task_run
from neural_gpu_tf.training import Trainer
from neural_gpu_tf.training.best_weights import BestWeights
from neural_gpu_tf.training.strategy import mirrored_strategy
from neural_gpu_tf.training.validation import Judge
from neural_gpu_tf.weights import save_weights
from neural_gpu_tf.workflows import score_translation


def weights(number):
    """Those of a model of its own."""
    random = np.random.default_rng(number)
    return [random.normal(size=w.shape) for w in tiny.model().get_weights()]


@pytest.fixture(scope="module")
def checkpoints(tmp_path_factory, run_dir):
    """The run, with checkpoints of three models as the trainer writes them."""
    directory = RunDirectory(tmp_path_factory.mktemp("checkpoints"))
    old = RunDirectory(run_dir)
    config = old.read_config()
    tiny.vocabulary().save(directory.vocabulary)
    strategy = mirrored_strategy(1)
    with strategy.scope():
        model = build_model(config.model, config.vocabulary_size, seed=1)
    training = TrainingConfig(average_decay=0.9)
    trainer = Trainer(
        model, toy.Batches(lambda _: None), Judge(dict), training, directory, strategy
    )
    for number in (1, 2, 10):
        model.set_weights(weights(number))
        trainer.checkpoints.save(number)
    directory.write_config(dataclasses.replace(config, training=training))
    return directory.path


@pytest.fixture(scope="module")
def validated(run_dir, tmp_path_factory):
    """The run, with the three best of four models that were validated."""
    path = tmp_path_factory.mktemp("validated") / "run"
    shutil.copytree(run_dir, path)
    best = BestWeights(RunDirectory(path).best, keep=3)
    model = tiny.new_model(len(tiny.vocabulary()))
    for number, value in ((1, 0.3), (2, 0.1), (3, 0.4), (4, 0.2)):
        model.set_weights(weights(number))
        best.offer(model, number, value)
    return path


def check(path, numbers):
    several = zip(*map(weights, numbers), strict=True)
    expected = [np.mean(some, axis=0) for some in several]
    for which in ("best", "last"):
        for found, mean in zip(
            load_run(path, which).model.get_weights(), expected, strict=True
        ):
            np.testing.assert_allclose(found, mean, atol=1e-6)


@pytest.mark.parametrize(
    "last, numbers", [([], [1, 2, 10]), (["--last=2"], [2, 10]), (["--last=1"], [10])]
)
def test_the_mean_of_the_last_checkpoints(
    run_binary, checkpoints, tmp_path, last, numbers
):
    output = tmp_path / "new" / "mean"
    answer = run_binary(
        "average", f"--run_dir={checkpoints}", f"--output={output}", *last
    )
    assert (answer.status, answer.out) == (0, f"{output}\n")
    check(output, numbers)
    (start,) = (output / "starts.jsonl").read_text().splitlines()
    assert f"--output={output}" in json.loads(start)["command"]


@pytest.mark.parametrize("best, numbers", [(3, [1, 2, 4]), (2, [2, 4]), (1, [2])])
def test_the_mean_of_the_best(run_binary, validated, tmp_path, best, numbers):
    arguments = f"--run_dir={validated}", f"--output={tmp_path}/mean", f"--best={best}"
    assert run_binary("average", *arguments).status == 0
    check(tmp_path / "mean", numbers)


def test_the_mean_of_files(run_binary, run_dir, tmp_path):
    files = []
    for number in (3, 4):
        model = tiny.new_model(len(tiny.vocabulary()))
        model.set_weights(weights(number))
        files.append(tmp_path / f"{number}.weights.h5")
        save_weights(model, files[-1])
    output = tmp_path / "mean"
    answer = run_binary("average", f"--run_dir={run_dir}", f"--output={output}", *files)
    assert answer.status == 0
    check(output, [3, 4])
    assert not (output / "checkpoints").exists()


def test_a_mean_of_equals_is_the_same(run_binary, run_dir, tmp_path, caplog):
    file = RunDirectory(run_dir).weights("best")
    run_binary(
        "average", f"--run_dir={run_dir}", f"--output={tmp_path}/mean", *[file] * 3
    )
    assert "tune-decoding" not in caplog.text
    for found, expected in zip(
        load_run(tmp_path / "mean").model.get_weights(),
        tiny.model().get_weights(),
        strict=True,
    ):
        np.testing.assert_array_equal(found, expected)


def test_that_tuned_options_are_not_taken_over_is_told(
    run_binary, run_dir, tmp_path, caplog
):
    tuned = tmp_path / "tuned"
    shutil.copytree(run_dir, tuned)
    RunDirectory(tuned).write_decoding({"beam": 2})
    file = RunDirectory(tuned).weights("best")
    answer = run_binary(
        "average", f"--run_dir={tuned}", f"--output={tmp_path}/mean", file
    )
    assert answer.status == 0
    assert not RunDirectory(tmp_path / "mean").decoding.exists()
    assert "are not those of the mean; tune it anew" in caplog.text


def test_of_a_run_on_files_is_evaluated_on_them(run_binary, run_dir, tmp_path):
    run, old = tmp_path / "run", RunDirectory(run_dir)
    shutil.copytree(run_dir, run)
    for name in ("source", "target"):
        (tmp_path / name).write_text("one\ntwo\n")
    files = {f"validation_{x}": str(tmp_path / x) for x in ("source", "target")}
    config = old.read_config()
    data = dataclasses.replace(config.data, data="files", **files)
    directory = RunDirectory(run)
    directory.write_config(dataclasses.replace(config, data=data))
    fingerprints = TextFiles({"x": tuple(files.values())}).fingerprints()
    directory.data.write_text(json.dumps(fingerprints))
    mean = f"--output={tmp_path}/mean", old.weights("best")
    assert run_binary("average", f"--run_dir={run}", *mean).status == 0
    found = score_translation([tmp_path / "mean"])  # which translates
    assert found["examples"] == 2


def test_of_a_task_too(run_binary, run_dir, tmp_path):
    config = RunDirectory(run_dir).read_config()
    task = dataclasses.replace(config.task, task="badd")
    model = build_model(tiny.MODEL, 17)
    directory = RunDirectory(tmp_path / "task")
    directory.write_config(
        dataclasses.replace(
            config, task=task, vocabulary_size=17, vocabulary_fingerprint=""
        )
    )
    file = directory.weights("best")
    save_weights(model, file)
    answer = run_binary(
        "average", f"--run_dir={directory.path}", f"--output={tmp_path}/mean", file
    )
    assert answer.status == 0
    found = load_task_run(tmp_path / "mean").model.get_weights()
    assert all(map(np.array_equal, found, model.get_weights()))


def test_faults_are_one_line_and_status_2(
    run_binary, run_dir, checkpoints, validated, tmp_path
):
    damaged = tmp_path / "damaged.weights.h5"
    damaged.write_bytes(b"damaged")
    own = RunDirectory(run_dir).weights("best")
    new = f"--output={tmp_path}/new"
    of_run, of_others = f"--run_dir={run_dir}", f"--run_dir={checkpoints}"
    for arguments, message in (
        ([of_run, new], "checkpoints: no checkpoint is there"),
        ([of_others, new, "--last=4"], "has 3 checkpoints"),
        ([of_others, new, "--last=0"], "has 3 checkpoints"),
        ([of_others, new, "--last=2", own], "--last and files of weights: give one"),
        ([of_others, new, "--last=2", "--best=1"], "--last and --best: give one"),
        ([of_others, new, "--best=1"], "best has 0 validated weights"),
        ([f"--run_dir={validated}", new, "--best=4"], "has 3 validated weights"),
        ([of_run, f"--output={checkpoints}", own], "a run is there already"),
        ([of_run, new, f"{tmp_path}/none.weights.h5"], "none.weights.h5"),
        ([of_run, new, damaged], "damaged.weights.h5: these weights do not fit"),
        (["--run_dir=/nowhere", new], "/nowhere: not a run directory"),
        ([new], "--run_dir"),
    ):
        answer = run_binary("average", *arguments)
        assert (answer.status, answer.out) == (2, "")
        assert message in answer.err and answer.err.count("\n") == 1
    assert not (tmp_path / "new").exists()


def test_a_checkpoint_of_another_model(run_binary, run_dir, checkpoints, tmp_path):
    directory = RunDirectory(tmp_path / "other")
    config = RunDirectory(run_dir).read_config()
    wider = dataclasses.replace(config.model, maps=9)
    directory.write_config(dataclasses.replace(config, model=wider))
    tiny.vocabulary().save(directory.vocabulary)
    directory.checkpoints.symlink_to(checkpoints / "checkpoints")
    assert tf.train.latest_checkpoint(str(directory.checkpoints))
    answer = run_binary(
        "average", f"--run_dir={directory.path}", f"--output={tmp_path}/new"
    )
    assert answer.status == 2
    assert "config.json (it has too few variables of shape" in answer.err
    assert answer.err.count("\n") == 1
