"""Which TF_CONFIG is taken, and what is said of one that is not."""

import json

import pytest

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.training.tf_config import read_cluster, workers_named

PAIR = {"worker": ["a:1", "b:2"]}
FIRST = {"type": "worker", "index": 0}


def given(monkeypatch, value):
    text = value if isinstance(value, str) else json.dumps(value)
    monkeypatch.setenv("TF_CONFIG", text)


def test_workers_in_their_order(monkeypatch):
    task = {"type": "worker", "index": 1}
    given(monkeypatch, {"cluster": PAIR, "task": task, "environment": "cloud"})
    tasks, own = read_cluster()
    assert [str(task) for task in tasks] == ["worker 0 (a:1)", "worker 1 (b:2)"]
    assert own == 1


def test_a_chief_comes_first(monkeypatch):
    cluster = {"worker": ["w:1", "[::1]:2"], "chief": ["c:3"]}
    given(monkeypatch, {"cluster": cluster, "task": {"type": "worker", "index": "1"}})
    tasks, own = read_cluster()
    assert [(task.kind, task.host, task.port) for task in tasks] == [
        ("chief", "c", 3),
        ("worker", "w", 1),
        ("worker", "::1", 2),
    ]
    assert own == 2


@pytest.mark.parametrize("value", ["", "{}", '{"environment": "cloud"}'])
def test_none_is_none(monkeypatch, value):
    given(monkeypatch, value)
    assert read_cluster() is None
    assert workers_named() == 0


@pytest.mark.parametrize(
    "value, message",
    [
        ("{", "not JSON"),
        ([], "where an object must stand"),
        ({"clusters": PAIR}, "unknown key 'clusters'; legal keys are cluster,"),
        ({"cluster": ["a:1"]}, "cluster is ['a:1'], not an object"),
        ({"cluster": {"ps": ["a:1"]}}, "cluster: unknown key 'ps'; legal"),
        ({"cluster": {"worker": "a:1"}}, "worker is 'a:1', no list"),
        ({"cluster": {"worker": ["a"]}}, "worker 0 is 'a', not an address HOST:PORT"),
        ({"cluster": {"worker": ["a:0"]}}, "worker 0 is 'a:0'"),
        ({"cluster": {"chief": ["a:1", "b:1"]}}, "more than one chief"),
        ({"cluster": PAIR}, "no task"),
        ({"cluster": PAIR, "task": FIRST | {"index": 2}}, "none of the cluster's"),
        ({"cluster": PAIR, "task": FIRST | {"index": True}}, "none of the cluster's"),
        ({"cluster": PAIR, "task": FIRST | {"type": "chief"}}, "none of the cluster's"),
        ({"cluster": PAIR, "task": FIRST | {"place": 1}}, "task: unknown key 'place'"),
        ({"cluster": PAIR, "task": FIRST, "rpc_layer": "x"}, "'x' is not grpc"),
    ],
)
def test_what_is_wrong_is_said_in_a_line(monkeypatch, value, message):
    given(monkeypatch, value)
    with pytest.raises(InputError) as error:
        read_cluster()
    text = str(error.value)
    assert text.startswith("TF_CONFIG") and message in text and "\n" not in text


def test_workers_are_counted_where_each_would_train_alone(monkeypatch):
    given(monkeypatch, {"cluster": PAIR | {"chief": ["c:3"], "ps": ["d:4"]}})
    assert workers_named() == 3
    for value in (3, "a:1"):
        given(monkeypatch, {"cluster": {"worker": value}})
        with pytest.raises(InputError, match=f"worker is {value!r}, no list"):
            workers_named()
