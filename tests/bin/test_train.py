"""neural-gpu-train, from start to stop, by its console script's module."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from neural_gpu_tf.evaluation.read_scalars import read_scalars
from neural_gpu_tf.runs import load_run

SMALL = [
    "--maps=8",
    "--width=1",
    "--layers=1",
    "--train_examples=300",
    "--validation_examples=8",
    "--max_number=2000",
    "--max_batch_size=8",
    "--dropout=0.1",
    "--average_decay=0.5",
    "--extra_columns=2",
    "--log_every=2",
    "--checkpoint_every=3",
    "--validate_every=6",
    "--validation_sentences=2",
    "--max_source_length=12",
]


def start(run_dir, *arguments, small=SMALL, **options):
    """A process of its own: training makes all of TensorFlow deterministic."""
    command = [sys.executable, "-m", "neural_gpu_tf.bin.train", f"--run_dir={run_dir}"]
    return subprocess.Popen(
        [*command, *small, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"CUDA_VISIBLE_DEVICES": ""},
        **options,
    )


def finish(process):
    out, err = process.communicate(timeout=300)
    assert out == ""
    return process.returncode, err


def wait_for(path, process):
    """Until `path` is there; fails if the process ends before."""
    while not path.exists():
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)


def events(run_dir):
    """The tags in the event files, with the plugin that shows each, and the graphs."""
    from tensorflow.compat.v1 import GraphDef
    from tensorflow.compat.v1.train import summary_iterator

    tags, graphs = {}, 0
    for path in run_dir.rglob("*tfevents*"):
        for event in summary_iterator(str(path)):
            graphs += event.HasField("graph_def")
            if event.graph_def:
                assert len(GraphDef.FromString(event.graph_def).node) > 10
            for value in event.summary.value:
                plugin = value.metadata.plugin_data.plugin_name
                tags[value.tag] = tags.get(value.tag) or plugin
    return tags, graphs


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A run of 9 steps that nothing interrupts."""
    path = tmp_path_factory.mktemp("whole") / "run"
    status, log = finish(start(path, "--train_steps=9"))
    assert status == 0, log
    return path, log


def test_what_a_run_leaves(whole):
    path, log = whole
    files = {file.name for file in path.iterdir()}
    assert files == {
        "config.json",
        "vocab.txt",
        "starts.jsonl",
        "checkpoints",
        "best",
        "best.weights.h5",
        "last.weights.h5",
        "events",
        "summary.json",
        "lock",
    }
    summary = json.loads((path / "summary.json").read_text())
    assert set(summary) == {
        "perplexity_symbol",
        "exact_match",
        "bleu",
        "chrf",
        "train_seconds",
    }
    (first,) = map(json.loads, (path / "starts.jsonl").read_text().splitlines())
    assert "--maps=8" in first["command"]
    assert {"tensorflow", "keras"} < set(first["packages"])
    assert "symbols/s" in log and "left" in log and "perplexity_symbol" in log
    assert load_run(path).model.count_params() > 0


def test_what_tensorboard_shows(whole):
    tags, graphs = events(whole[0])
    assert graphs >= 1
    scalars = {tag for tag, plugin in tags.items() if plugin == "scalars"}
    assert {"speed/symbols_per_second", "optimizer/learning_rate"} < scalars
    assert {"loss/perplexity_symbol", "quality/bleu", "quality/chrf"} < scalars
    both = [x.kind for x in read_scalars(whole[0] / "events") if x.name == "loss"]
    assert {*both} == {"train", "validation"}  # on one chart
    assert "text" in tags.values()


@pytest.mark.slow
def test_killed_stopped_and_gone_on_with_is_never_stopped(whole, tmp_path):
    """SIGKILL after step 3, SIGTERM later, then to the end: the same, bit for bit."""
    run = tmp_path / "run"
    arguments = ["--train_steps=9"]

    process = start(run, *arguments)
    wait_for(
        run / "checkpoints" / "checkpoint", process
    )  # names the newest; comes last
    process.kill()
    assert finish(process)[0] == -signal.SIGKILL

    process = start(run, *arguments)
    wait_for(run / "checkpoints" / "ckpt-6.index", process)
    process.terminate()
    status, log = finish(process)
    assert "resuming from step" in log
    if status:  # else it was through before the signal came
        assert status == 128 + signal.SIGTERM
        last = log.splitlines()[-1]
        assert "give the same command again to resume" in last
        assert "Traceback" not in log
    status, log = finish(start(run, *arguments))
    assert status == 0, log

    for name in ("best", "last"):
        found = load_run(run, name).model.get_weights()
        expected = load_run(whole[0], name).model.get_weights()
        assert all(map(np.array_equal, found, expected))
    found, expected = (
        json.loads((path / "summary.json").read_text()) for path in (run, whole[0])
    )
    del found["train_seconds"], expected["train_seconds"]
    assert found == expected


def test_another_configuration_is_refused(whole, run_binary):
    path = whole[0]
    before = {file: file.read_bytes() for file in path.iterdir() if file.is_file()}
    answer = run_binary("train", f"--run_dir={path}", *SMALL[:-1], "--maps=9")
    assert answer.status == 2 and answer.err.count("\n") == 1
    assert "this run has --maps=8, not 9" in answer.err
    assert before == {f: f.read_bytes() for f in path.iterdir() if f.is_file()}


def test_another_vocabulary_is_refused(whole, run_binary, tmp_path):
    path = whole[0]
    other = tmp_path / "vocab.txt"
    lines = (path / "vocab.txt").read_text().splitlines()
    other.write_text("\n".join(lines[:-1]) + "\n")
    answer = run_binary("train", f"--run_dir={path}", *SMALL, f"--vocab={other}")
    assert answer.status == 2 and answer.err.count("\n") == 1
    assert "started with a different vocabulary" in answer.err


@pytest.mark.slow
def test_a_run_starts_with_the_weights_and_the_vocabulary_of_another(whole, tmp_path):
    """Other data would give another vocabulary; at a rate of 0 the weights stay."""
    path, new = whole[0], tmp_path / "new"
    flags = [f"--init_from={path}", "--learning_rate=0", "--validation_sentences=0"]
    process = start(new, "--train_steps=1", *flags, "--max_number=50")
    status, log = finish(process)
    assert status == 0, log
    assert (new / "vocab.txt").read_bytes() == (path / "vocab.txt").read_bytes()
    found, expected = (load_run(run).model.get_weights() for run in (new, path))
    assert all(map(np.array_equal, found, expected))


def test_a_run_with_another_vocabulary_can_not_start_so(whole, run_binary, tmp_path):
    other = tmp_path / "vocab.txt"
    lines = (whole[0] / "vocab.txt").read_text().splitlines()
    other.write_text("\n".join(lines[:-1]) + "\n")
    flags = [*SMALL, f"--init_from={whole[0]}", f"--vocab={other}"]
    answer = run_binary("train", f"--run_dir={tmp_path}/new", *flags)
    assert answer.status == 2 and answer.err.count("\n") == 1
    assert "its vocabulary is different; leave out --vocab" in answer.err
    assert not (tmp_path / "new").exists()


def test_an_older_run_resumes_and_starts_others(whole, run_binary, tmp_path):
    """Its config.json has numbers where 0 stands for the model's own now."""
    old = tmp_path / "old"
    shutil.copytree(whole[0], old)
    config = json.loads((old / "config.json").read_text())
    config["training"]["clip_usual"] = config["training"].pop("autoclip")
    config["model"] |= {"kernel_gain": 1.4, "embedding_range": 1.0, "units": 1024}
    (old / "config.json").write_text(json.dumps(config))
    assert load_run(old).config.training.autoclip == 0
    answer = run_binary("train", f"--run_dir={old}", "--train_steps=9")
    assert answer.status == 0, answer.err
    new = [f"--run_dir={tmp_path / 'new'}", *SMALL, f"--init_from={old}"]
    answer = run_binary("train", *new, "--replicas=99")
    assert answer.status == 2 and "--replicas=99: there are" in answer.err
    answer = run_binary("train", *new, "--maps=16")
    assert answer.status == 2 and "that run has --maps=8, not 16" in answer.err


@pytest.fixture
def texts(tmp_path):
    """Files of two sides, some of them faulty, by name."""

    def write(name, content):
        (tmp_path / name).write_bytes(content)
        return tmp_path / name

    return {
        "good": write("good", b"one\ntwo\n"),
        "short": write("short", b"un\n"),
        "latin": write("latin", b"un\nd\xe9\n"),
        "empty": write("empty", b""),
        "none": tmp_path / "none",
        "dir": tmp_path,
    }


@pytest.mark.parametrize(
    "flags, message",
    [
        (["--train_target={short}"], "line 2 of good has no partner"),
        (["--train_target={latin}"], "latin:2: not UTF-8"),
        (["--train_target={empty}"], "empty: the file is empty"),
        (["--train_target={none}"], "none: no such file"),
        (["--train_target={good}", "--vocab={none}"], "none: no such vocabulary file"),
        (["--train_target={good}", "--schedule=steep"], "--schedule=steep: "),
        (["--train_target={good}", "--model=lstm"], "--model=lstm: "),
        (["--train_target={good}", "--maps=0"], "--maps=0: "),
        (["--train_target={good}", "--sizes=1"], "--sizes=1: "),
        (["--train_target={good}", "--sizes=predicted"], "there is no size predictor"),
        (["--train_target={good}", "--replicas=99"], "--replicas=99: "),
        (["--train_target={good}"], "2 training pairs of 1 to 60 symbols do not fill"),
        (["--train_target={good}", "stray"], "'stray': not a flag"),
        ([], "--train_target"),
    ],
)
def test_a_fault_is_one_line_and_status_2(run_binary, texts, tmp_path, flags, message):
    good = texts["good"]
    answer = run_binary(
        "train",
        f"--run_dir={tmp_path / 'run'}",
        "--data=files",
        f"--train_source={good}",
        f"--validation_source={good}",
        f"--validation_target={good}",
        "--maps=4",
        "--width=1",
        *(flag.format(**texts) for flag in flags),
    )
    assert answer.status == 2, answer
    assert answer.err.startswith("neural-gpu-train: ")
    assert message in answer.err and answer.err.count("\n") == 1, answer.err
    assert not (tmp_path / "run" / "config.json").exists()


@pytest.mark.slow
def test_tfds_without_a_network_fails_at_once(tmp_path):
    small = tmp_path / "small.flags"  # where flags may be of other data
    small.write_text("".join(f"{flag}\n" for flag in SMALL))
    process = start(
        tmp_path / "run",
        "--tfds_name=wmt14_translate/fr-en",
        f"--data_dir={tmp_path}",
        small=[f"--flagfile={small}"],
    )
    try:
        _, err = process.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        pytest.skip("there is a network here")
    assert process.returncode == 2 and err.count("\n") == 1, err
    assert "where there is a network" in err
