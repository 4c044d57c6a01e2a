import json
import os
import subprocess
import sys
import threading
import time

import pytest
import tensorflow as tf
import tiny

from benchmarks import load


class Spy:
    """Answers after a while; notes how many ask at a time and what."""

    def __init__(self, seconds=0.01, answers=len):
        self.seconds, self.answers = seconds, answers
        self.sizes, self.at_once, self.now = [], [], 0
        self.lock = threading.Lock()

    def __call__(self, texts):
        with self.lock:
            self.now += 1
            self.sizes.append(len(texts))
            self.at_once.append(self.now)
        time.sleep(self.seconds)
        with self.lock:
            self.now -= 1
        return self.answers(texts) * ["x"]


def test_each_number_of_clients_and_texts_is_timed():
    spy, slow = Spy(), Spy(0.02)
    asked = {"a": load.Contender(spy, 0), "b": load.Contender(slow, 0)}
    rows = load.measure(asked, ["x", "y", "z"], [1, 4], [1, 5], requests=8, rounds=2)
    kinds = [(row["contender"], row["concurrency"], row["batch"]) for row in rows]
    assert kinds == [(c, n, b) for c in "ab" for n in (1, 4) for b in (1, 5)]
    assert len(spy.sizes) == (1 + 2) * 4 * 8 and set(spy.sizes) == {1, 5}
    assert max(spy.at_once) == 4 and 1 in spy.at_once
    for row, seconds in zip(rows, 4 * [0.01] + 4 * [0.02], strict=True):
        assert seconds <= row["p50"] <= row["p95"] <= row["p99"] < 50 * seconds
        assert row["requests_per_second"] <= row["concurrency"] / seconds
        texts = row["batch"] * row["requests_per_second"]
        assert row["texts_per_second"] == pytest.approx(texts)
    assert rows[2]["requests_per_second"] > 2 * rows[0]["requests_per_second"]


def test_a_soak_notes_the_memory_along_the_way():
    spy = Spy(0.0)
    texts = load.random_texts(50, most_words=3)
    result = load.soak(load.Contender(spy, os.getpid()), texts, 2, 7, requests=105)
    assert len(spy.sizes) == result["requests"] == 105
    assert {*spy.sizes} == {*range(1, 8)} and max(spy.at_once) <= 2
    assert len(result["memory"]) == load.NOTES and min(result["memory"]) > 1e7
    assert result["growth"] == result["memory"][-1] / result["memory"][0]
    assert {len(text.split()) for text in texts} == {1, 2, 3}


def test_a_soak_sees_memory_that_grows():
    kept = []

    def leaky(texts):
        kept.append(os.urandom(2**20))
        return texts

    result = load.soak(load.Contender(leaky, os.getpid()), ["a"], 1, 1, requests=200)
    assert result["growth"] > 1.02
    assert result["memory"][-1] - result["memory"][0] > 150 * 2**20


def test_an_answer_too_few_is_no_result():
    spy = Spy(0.0, answers=lambda texts: len(texts) - 1)
    with pytest.raises(RuntimeError, match="1 answers to 2 texts"):
        load.measure({"a": load.Contender(spy, 0)}, ["a"], [1], [2], requests=1)


@pytest.mark.parametrize("server", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_the_session_and_the_server_answer_alike(exported, server):
    texts = load.random_texts(4, most_words=4)
    expected = [*tiny.translator().translate(tf.constant(texts))["text"].numpy()]
    with load.contenders(exported, server) as asked:
        assert [*asked] == ["session", "server"][: 1 + server]
        assert [*asked["session"].ask(texts)] == expected
        if server:
            assert asked["server"].ask(texts) == [text.decode() for text in expected]
        rows = load.measure(asked, texts, [2], [1, 3], requests=3, rounds=2)
        soaked = [load.soak(one, texts, 2, 2, requests=20) for one in asked.values()]
    assert [row["contender"] for row in rows] == [name for name in asked for _ in "12"]
    assert all(one["memory"][0] > 1e8 for one in soaked)


@pytest.mark.parametrize(
    "flags, message",
    [
        pytest.param(
            *(["--export_dir=none"], "--export_dir=none: no saved_model.pb in it"),
            marks=pytest.mark.slow,
        ),
        (["--export_dir=.", "--concurrency=0"], "give different numbers from 1"),
    ],
)
def test_bad_flags_are_one_line(flags, message, tmp_path):
    (tmp_path / "saved_model.pb").touch()
    command = [sys.executable, "-m", "benchmarks.load", *flags]
    command = [x.replace("=.", f"={tmp_path}") for x in command]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2 and message in done.stderr
    assert done.stdout == "" and done.stderr.count("\n") == 1


@pytest.mark.slow
def test_the_command(exported):
    command = [sys.executable, "-m", "benchmarks.load", f"--export_dir={exported}"]
    command += ["--server", "--concurrency=1,2", "--batch=2", "--requests=3"]
    command += ["--soak=20", "--json"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert len(result["rows"]) == 4 and set(result["soak"]) == {"session", "server"}
