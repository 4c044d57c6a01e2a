"""What workers tell each other, and what becomes of them when one goes."""

import math
import os
import time

import meetings
import pytest

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.training import workers as workers_module
from neural_gpu_tf.training.ends import Interrupted, WorkerLost
from neural_gpu_tf.training.workers import Workers


def test_one_alone_talks_to_itself():
    with Workers() as alone:
        assert alone.chief
        assert alone.exchange((3, None)) == [(3, None)]
        assert alone.from_chief(divmod, 7, 2) == (3, 1)
        alone.check_same({"a": 1}, "nothing")


def test_all_have_the_values_of_all_in_order():
    def talk(workers):
        own = workers.cluster.own
        first = workers.exchange([own, None])
        return first, workers.exchange(own * 10)

    found = meetings.together(3, talk)
    assert found == 3 * [([[0, None], [1, None], [2, None]], [0, 10, 20])]


def test_floats_arrive_as_they_are():
    values = [0.1 + 0.2, math.inf, -0.0, 5e-324]
    found = meetings.together(2, lambda workers: workers.from_chief(lambda: values))
    assert found == [values, values]
    assert math.copysign(1, found[1][2]) == -1


def test_only_the_chief_calls():
    called = []

    def ask(workers):
        return workers.from_chief(called.append, workers.cluster.own)

    assert meetings.together(3, ask) == 3 * [None]
    assert called == [0]


def test_a_difference_is_told_by_all():
    def check(clip_norm):
        values = {"batch": 8, "clip_norm": clip_norm}
        return lambda workers: workers.check_same(values, "start all with the same")

    found = meetings.together(3, check(1.0), check(1.0), check(2.0))
    for error in found:
        assert isinstance(error, InputError)
        text = str(error)
        assert text.startswith("worker 2 (") and "\n" not in text
        assert "has clip_norm=2.0, and worker 0 (" in text and "clip_norm=1.0;" in text
    assert meetings.together(2, check(1.0)) == [None, None]


@pytest.mark.parametrize("whose", [0, 1])
def test_what_one_alone_has_is_told_by_all(whose):
    def check(workers):
        more = {"train-2.en": "5a1"} if workers.cluster.own == whose else {}
        workers.check_same({"train-1.en": "c0"} | more, "give all the same files")

    for error in meetings.together(2, check):
        assert isinstance(error, InputError)
        assert "train-2.en=None" in str(error) and "train-2.en=5a1" in str(error)


@pytest.mark.parametrize("lost", [0, 2])
def test_when_one_goes_the_others_name_it(lost):
    def work(workers):
        if workers.cluster.own == lost:
            meetings.die(workers)
            return "gone"
        while True:
            workers.exchange(1)

    start = time.monotonic()
    found = meetings.together(3, work)
    assert time.monotonic() - start < 5
    assert found.pop(lost) == "gone"
    for error in found:
        assert isinstance(error, WorkerLost)
        assert str(error).startswith(f"worker {lost} (127.0.0.1:")
        assert "has gone; what was saved is whole; start every worker" in str(error)


def test_an_error_of_one_is_told_to_the_others():
    def fail(workers):
        raise InputError("no room on the disk\nat all")

    found = meetings.together(3, fail, lambda workers: workers.exchange(1))
    assert isinstance(found[0], InputError)
    for error in found[1:]:
        assert isinstance(error, WorkerLost)
        assert "worker 0 (" in str(error)
        assert "has stopped: no room on the disk; what was saved" in str(error)


def test_leaving_together_is_no_loss():
    def stop(workers):
        workers.exchange(1)
        raise Interrupted(15, 3, "ckpt-3")

    for error in meetings.together(3, stop):
        assert isinstance(error, Interrupted) and error.status == 143


def test_what_tensorflow_tells_of_the_loss_is_not_what_the_user_reads():
    import tensorflow as tf

    def reduce(workers):
        message = "Graph execution error:\nCollective ops is aborted by: reset\n [[node"
        raise tf.errors.UnavailableError(None, None, message)

    _, error = meetings.together(2, meetings.die, reduce)
    assert isinstance(error, WorkerLost)
    assert str(error).startswith("worker 0 (127.0.0.1:")


def test_without_a_known_loss_the_user_reads_tensorflows_reason(monkeypatch):
    import tensorflow as tf

    monkeypatch.setattr(workers_module, "_GRACE", 0.2)
    monkeypatch.setattr(os, "_exit", lambda status: None)  # the chief is busy

    def reduce(workers):
        message = "Graph execution error:\nCollective ops is aborted by: no beat\\n ..."
        raise tf.errors.UnavailableError(None, None, message)

    found = meetings.together(2, lambda workers: time.sleep(1), reduce)
    assert str(found[1]).startswith("TensorFlow: no beat; what was saved")


def test_one_that_is_busy_is_ended(monkeypatch, capfd):
    ended = []
    monkeypatch.setattr(workers_module, "_GRACE", 0.3)
    monkeypatch.setattr(os, "_exit", ended.append)

    def busy(workers):
        time.sleep(1)

    meetings.together(2, meetings.die, busy)
    assert ended == [138]
    assert "worker 0 (127.0.0.1:" in capfd.readouterr().err


def test_one_that_has_left_is_not_ended(monkeypatch):
    ended = []
    monkeypatch.setattr(workers_module, "_GRACE", 0.3)
    monkeypatch.setattr(os, "_exit", ended.append)

    meetings.together(2, meetings.die, lambda workers: workers.exchange(1))
    time.sleep(0.6)
    assert ended == []
