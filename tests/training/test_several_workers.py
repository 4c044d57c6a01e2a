"""Two workers: they train as one does, and none waits for one that is gone."""

import json
import os
import re
import statistics
import subprocess
import sys
from pathlib import Path

import pytest

from neural_gpu_tf.evaluation.read_scalars import read_scalars

HERE = Path(__file__).parent


def found(folder, *scenarios):
    """What several_workers.py prints, by scenario."""
    path = os.pathsep.join([str(HERE.parent), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, HERE / "several_workers.py", folder, *scenarios],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": path},
    )
    assert done.returncode == 0, done.stderr
    answers = {}
    for line in done.stdout.splitlines():
        answers |= json.loads(line)
    return answers


@pytest.fixture(scope="module")
def quick(folder):
    return found(folder, "task", "missing", "differing")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("quick")


def is_as_one(answer):
    return answer["apart"] < 1e-5 and answer["weights"] > 5


def test_two_workers_train_as_one(quick):
    assert is_as_one(quick["task"])


def test_their_gradients_are_clipped_after_the_sum(quick, folder):
    one, two = (
        [x.value for x in read_scalars(folder / "task" / run / "events") if x.name == k]
        for run in ("one", "two")
        for k in ["gradient_norm"]
    )
    assert one == pytest.approx(two, rel=1e-3)
    assert len(one) == 8 and statistics.median(one) > 0.1  # --clip_norm=0.05


def test_the_chief_alone_reports(quick):
    log = quick["task"]["log"]
    assert len(re.findall(r"^step 8/8 ", log, re.MULTILINE)) == 1
    assert len(re.findall(r"^step 8  validation", log, re.MULTILINE)) == 1
    assert log.count(" of 2; worker 0 (127.0.0.1:") == 2


def test_a_worker_that_does_not_come_is_named(quick):
    answer = quick["missing"]
    assert answer["status"] == [138]
    assert answer["seconds"] < 15
    line = answer["log"].splitlines()[-1]
    assert re.match(
        r"neural-gpu-train: worker 1 \(127.0.0.1:\d+\) did not appear", line
    )
    assert "--worker_deadline=1 seconds" in line


def test_different_flags_are_told_before_anything_is_written(quick):
    answer = quick["differing"]
    assert answer["status"] == [2, 2]
    assert not answer["begun"]
    told = r"neural-gpu-train: worker 1 \(127.0.0.1:\d+\) has --autoclip=2.0, and"
    assert len(re.findall(told, answer["log"])) == 2


@pytest.mark.slow
def test_two_workers_train_as_one_whatever_they_train(tmp_path):
    answers = found(tmp_path, "translation", "attempts", "buckets")
    assert [name for name, answer in answers.items() if not is_as_one(answer)] == []
    assert answers["attempts"]["log"].count("another attempt") == 2  # each says it


@pytest.mark.slow
@pytest.mark.parametrize("who", ["chief", "worker"])
def test_when_one_is_killed_the_other_ends_and_nothing_is_lost(tmp_path, who):
    answer = found(tmp_path, f"{who}_killed")[f"{who}_killed"]
    killed = ["chief", "worker"].index(who)
    assert answer["status"][killed] == -9
    assert answer["status"][1 - killed] == 138
    assert answer["seconds"] < 60
    line = answer["log"].splitlines()[-1]
    assert re.match(rf"neural-gpu-train: worker {killed} \(.*\) has gone; what", line)
    assert "Traceback" not in answer["log"]
    assert answer["again"] == [0, 0] and answer["resumed"] and answer["equal"]


@pytest.mark.slow
def test_a_signal_to_one_stops_both_after_a_checkpoint(tmp_path):
    answer = found(tmp_path, "worker_terminated")["worker_terminated"]
    assert answer["status"] == [143, 143]
    assert len(re.findall("stopped at step .* by signal 15", answer["log"])) == 2
    assert answer["again"] == [0, 0] and answer["resumed"] and answer["equal"]


@pytest.mark.slow
def test_a_signal_to_one_ends_the_chiefs_selection(tmp_path):
    answer = found(tmp_path, "selecting")["selecting"]
    assert answer["status"] == [143, 143]
    assert len(re.findall("stopped at step 4 by signal 15", answer["log"])) == 2
    assert answer["again"] == [0, 0] and answer["selected"] in (2, 4)
