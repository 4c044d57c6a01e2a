import contextlib
import dataclasses
import json
import os
from pathlib import Path

import keras
import numpy as np
import pytest
import tiny

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.options import DataConfig, TrainingConfig
from neural_gpu_tf.runs import RunConfig, RunDirectory, load_run
from neural_gpu_tf.runs.config_checks import check_start
from neural_gpu_tf.weights import save_weights

CONFIG = RunConfig(
    DataConfig(max_length=20),
    tiny.MODEL,
    TrainingConfig(learning_rate=0.25),
    tiny.DECODING,
    len(tiny.vocabulary()),
    tiny.vocabulary().fingerprint(),
)


@pytest.fixture
def directory(tmp_path):
    directory = RunDirectory(tmp_path / "runs" / "one")
    directory.write_config(CONFIG)
    return directory


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """A whole run directory; nobody may change it."""
    directory = RunDirectory(tmp_path_factory.mktemp("saved"))
    directory.write_config(CONFIG)
    tiny.vocabulary().save(directory.vocabulary)
    save_weights(tiny.model(), directory.weights("best"))
    return directory


def fault(call, *arguments):
    """The one line that a call complains with."""
    with pytest.raises(InputError) as error:
        call(*arguments)
    message = str(error.value)
    assert "\n" not in message
    return message


def changed(concern, **values):
    part = dataclasses.replace(getattr(CONFIG, concern), **values)
    return dataclasses.replace(CONFIG, **{concern: part})


def test_the_configuration_comes_back(directory):
    assert directory.read_config() == CONFIG


def test_no_run():
    message = fault(load_run, "/nowhere")
    assert message.startswith("/nowhere: not a run directory")
    assert "run_dir=" in fault(RunDirectory, "")


def test_a_directory_that_cannot_be_made(tmp_path):
    (tmp_path / "file").touch()
    message = fault(RunDirectory(tmp_path / "file" / "run").make)
    assert message.startswith(f"run_dir={tmp_path}/file/run: can't make it")
    assert "run_dir=" in fault(RunDirectory(tmp_path / "file").make)


@pytest.mark.parametrize(
    "text, part",
    [
        ("{", "not JSON"),
        ("", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[]", "[] where an object"),
        ("null", "None where an object"),
        ("{}", "no 'data'"),
        ('{"data": 5}', "data: 5 where an object"),
        ('{"datum": {}}', "unknown key 'datum'; legal keys are data, decoding"),
        ('{"model": {"map": 5}}', "model: unknown key 'map'; legal keys are"),
        ('{"model": {"maps": "many"}}', "maps is 'many'; it must be of type int"),
    ],
)
def test_a_damaged_configuration(directory, text, part):
    directory.config.write_text(text)
    message = fault(directory.read_config)
    assert message.startswith(f"{directory.config}: ")
    assert part in message


@pytest.mark.parametrize(
    "section, older, name, value",
    [
        ("training", "clip_usual", "autoclip", 2.5),
        ("model", "checkpointing", "gradient_checkpointing", True),
    ],
)
def test_a_key_by_its_older_name(directory, section, older, name, value):
    config = json.loads(directory.config.read_text())
    assert not config[section].pop(name)
    config[section][older] = value
    directory.config.write_text(json.dumps(config))
    assert directory.read_config() == changed(section, **{name: value})


@pytest.mark.parametrize(
    "model, own",
    [
        ("rnn_seq2seq", {"units": 1024, "embedding_size": 512}),
        ("stack_rnn", {"units": 100, "embedding_size": 32}),
    ],
)
@pytest.mark.parametrize("written", ["here", "there"])
def test_the_models_own_number_is_the_number(directory, model, own, written):
    """Older runs have it written out where newer ones have 0."""
    plain, full = (changed("model", **{"model": model} | x) for x in ({}, own))
    here, there = (full, plain) if written == "here" else (plain, full)
    directory.write_config(there)

    def beginning(**options):
        one = dataclasses.replace(here.model, **options)
        training = dataclasses.replace(CONFIG.training, init_from=str(directory.path))
        return dataclasses.replace(CONFIG, model=one, training=training)

    check_start(there, beginning())
    message = fault(check_start, there, beginning(units=own["units"] + 1))
    assert f"that run has units={own['units']}, not {own['units'] + 1};" in message


def test_another_configuration_names_the_flag_and_both_values(directory):
    for other, flag, here, there in (
        (changed("model", maps=9), "maps", 8, 9),
        (changed("data", max_length=30), "max_length", 20, 30),
        (changed("training", learning_rate=0.5), "learning_rate", 0.25, 0.5),
        (changed("decoding", sizes="3"), "sizes", "all", "3"),
    ):
        message = fault(directory.check_config, other)
        assert (
            f"{directory.config}: this run has {flag}={here}, not {there};" in message
        )
        advised = "train another from scratch" if flag == "maps" else "init_from="
        assert advised in message


def test_another_vocabulary_is_no_way_to_go_on(directory):
    other = dataclasses.replace(CONFIG, vocabulary_fingerprint="f" * 64)
    assert "started with a different vocabulary" in fault(directory.check_config, other)


def test_how_long_and_how_often_may_change(directory):
    directory.check_config(CONFIG)
    directory.check_config(
        changed(
            "training",
            train_steps=7,
            replicas=2,
            log_every=3,
            validate_every=4,
            validation_sentences=5,
            checkpoint_every=6,
            keep_checkpoints=8,
        )
    )


def test_a_run_comes_back(saved):
    run = load_run(saved.path)
    assert run.path == saved.path and run.config == CONFIG
    assert run.vocabulary.symbols == tiny.vocabulary().symbols
    for one, other in zip(
        run.model.get_weights(), tiny.model().get_weights(), strict=True
    ):
        np.testing.assert_array_equal(one, other)


def test_the_wrong_vocabulary(saved, directory):
    lines = saved.vocabulary.read_text().splitlines()
    directory.vocabulary.write_text("\n".join(lines[:-1]) + "\n")
    message = fault(load_run, directory.path)
    assert message.startswith(f"{directory.vocabulary}: not the vocabulary that")
    assert f"{len(lines) - 1} symbols here, {len(lines)} there" in message


def test_no_vocabulary(directory):
    assert fault(load_run, directory.path).startswith(
        f"{directory.vocabulary}: no such"
    )


def test_missing_weights(saved):
    message = fault(load_run, saved.path, "last")
    assert message.startswith(f"{saved.weights('last')}: missing; training writes it")


@pytest.mark.parametrize("share", [0, 0.001, 0.3, 0.7, 0.99])
def test_weights_cut_short(saved, directory, share):
    tiny.vocabulary().save(directory.vocabulary)
    content = saved.weights("best").read_bytes()
    directory.weights("best").write_bytes(content[: int(share * len(content))])
    message = fault(load_run, directory.path)
    assert message.startswith(f"{directory.weights('best')}: these weights do not fit")


def test_weights_of_another_model(directory):
    tiny.vocabulary().save(directory.vocabulary)
    other = keras.Sequential([keras.Input([2]), keras.layers.Dense(3)])
    save_weights(other, directory.weights("best"))
    message = fault(load_run, directory.path)
    assert message.startswith(f"{directory.weights('best')}: these weights do not fit")


def test_writing_leaves_nothing_beside(saved):
    names = {"config.json", "vocab.txt", "best.weights.h5"}
    assert {path.name for path in saved.path.iterdir()} == names


def test_starts_are_noted(directory):
    for command in (["train", "--a=1"], ["train", "--a=2"]):
        directory.note_start(command)
    lines = [json.loads(line) for line in directory.starts.read_text().splitlines()]
    assert [line["command"][1] for line in lines] == ["--a=1", "--a=2"]
    assert lines[0]["packages"]["keras"] == keras.__version__
    assert {"time", "python", "git"} <= set(lines[0])


def test_a_path_that_is_a_pattern_to_tensorflow_is_told(tmp_path):
    with pytest.raises(InputError, match=r"a\[1\]: TensorFlow finds no"):
        RunDirectory(tmp_path / "a[1]").make()
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize("moves", range(7))
def test_an_attempt_given_up_is_put_aside_wherever_that_is_cut_short(
    tmp_path, monkeypatch, moves
):
    directory = RunDirectory(tmp_path / "run")
    names = ["best.weights.h5", "last.weights.h5"]
    folders = ["best", "checkpoints", "events"]

    def attempt(text):
        for name in folders:
            (directory.path / name).mkdir(parents=True)
            (directory.path / name / "file").write_text(text)
        for name in names:
            (directory.path / name).write_text(text)

    left = iter(range(moves))

    def rename(path, target):
        if next(left, None) is None:
            raise KeyboardInterrupt
        return os.rename(path, target)

    attempt("first")
    directory.give_up({"error": 0.5})
    attempt("second")
    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", rename)
        with contextlib.suppress(KeyboardInterrupt):
            directory.give_up({"error": 0.75})
    assert directory.attempts() == [{"error": 0.5}, {"error": 0.75}]
    assert directory.attempts() == [{"error": 0.5}, {"error": 0.75}]  # nothing to do
    assert {path.name for path in directory.path.iterdir()} == {
        "attempt-0",
        "attempt-1",
    }
    for aside, text in (("attempt-0", "first"), ("attempt-1", "second")):
        files = [*(f"{name}/file" for name in folders), *names]
        for name in files:
            assert (directory.path / aside / name).read_text() == text


def test_a_run_without_attempts_given_up_has_none(tmp_path):
    assert RunDirectory(tmp_path / "none").attempts() == []


def test_an_older_run_keeps_its_learned_vector_of_padding(tmp_path):
    directory = RunDirectory(tmp_path)
    directory.write_config(CONFIG)
    assert directory.read_config().model.padding == CONFIG.model.padding == "zero"
    older = json.loads(directory.config.read_text())
    del older["model"]["padding"]
    directory.config.write_text(json.dumps(older))
    assert directory.read_config().model.padding == "learned"


def test_no_run_is_to_have_fewer_steps_than_it_has_taken(directory):
    directory.checkpoints.mkdir()
    for name in ("ckpt-8.index", "ckpt-12.index", "ckpt-12.data-0", "ckpt-99_temp"):
        (directory.checkpoints / name).touch()
    directory.check_config(changed("training", train_steps=12))
    message = fault(directory.check_config, changed("training", train_steps=11))
    assert f"train_steps=11: {directory.path} has taken 12 steps already;" in message
