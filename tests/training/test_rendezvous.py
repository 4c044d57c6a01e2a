"""How workers find each other, and what is said when one does not come."""

import socket
import threading
import time

import meetings
import pytest

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.training.channel import Channel
from neural_gpu_tf.training.ends import WorkerLost
from neural_gpu_tf.training.rendezvous import _admit, _Hello, meet
from neural_gpu_tf.training.tf_config import Cluster


def meeting(tasks, own, deadline):
    return lambda: meet(Cluster(tasks, own), deadline)


def test_all_are_connected_to_the_chief():
    tasks = meetings.tasks(3)
    chief, *others = meetings.at_once([meeting(tasks, own, 20) for own in range(3)])
    assert sorted(chief) == [1, 2]
    assert [sorted(one) for one in others] == [[0], [0]]
    for index, one in enumerate(others, 1):
        one[0].send({"value": index})
        assert chief[index].receive() == {"value": index}


def test_the_chiefs_port_is_free_while_the_connections_live():
    tasks = meetings.tasks(2)
    chief, other = meetings.at_once([meeting(tasks, own, 20) for own in range(2)])
    with socket.create_server(("127.0.0.1", tasks[0].port)):
        other[0].send({"value": 1})
        assert chief[1].receive() == {"value": 1}


def test_alone_there_is_nobody_to_wait_for():
    assert meet(Cluster(meetings.tasks(1), 0), 1) == {}


def test_a_missing_worker_is_named_by_all():
    tasks = meetings.tasks(3)
    start = time.monotonic()
    found = meetings.at_once([meeting(tasks, 0, 0.5), meeting(tasks, 2, 9)])
    assert time.monotonic() - start < 5
    for error in found:
        assert isinstance(error, WorkerLost)
        assert f"worker 1 (127.0.0.1:{tasks[1].port}) did not appear" in str(error)
        assert "--worker_deadline=0.5 seconds" in str(error)
        assert "\n" not in str(error)


def test_a_missing_chief_is_named():
    tasks = meetings.tasks(2)
    with pytest.raises(WorkerLost, match=r"worker 0 \(127.0.0.1:\d+\) did not appear"):
        meet(Cluster(tasks, 1), 0.5)


def test_a_host_without_a_name_yet_is_waited_for():
    tasks = meetings.tasks(2)
    nowhere = tasks[0]._replace(host="no-such-host.invalid")
    with pytest.raises(WorkerLost, match="no-such-host.invalid"):
        meet(Cluster((nowhere, tasks[1]), 1), 0.5)


def test_two_of_the_same_task_are_told():
    tasks = meetings.tasks(3)
    found = meetings.at_once([meeting(tasks, own, 2) for own in (0, 1, 1)])
    assert isinstance(found[0], WorkerLost)  # worker 2 never comes
    faults = [error for error in found[1:] if isinstance(error, InputError)]
    assert len(faults) == 1 and "task 1 is there" in str(faults[0])


def test_strangers_hold_up_nobody():
    tasks = meetings.tasks(2)
    address = "127.0.0.1", tasks[0].port
    strangers = []

    def strange():
        for words in (b"", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b'{"index": 1}\n'):
            strangers.append(_connected(address))
            strangers[-1].sendall(words)
        return meet(Cluster(tasks, 1), 20)

    start = time.monotonic()
    chief, other = meetings.at_once([meeting(tasks, 0, 20), strange])
    assert time.monotonic() - start < 4  # less than what a silent one is given
    assert sorted(chief) == [1] and sorted(other) == [0]
    for stranger in strangers:
        stranger.close()


def test_a_worker_that_was_started_anew_takes_its_place():
    tasks = meetings.tasks(3)
    address = "127.0.0.1", tasks[0].port

    def again():
        with _connected(address) as first:
            first.sendall(b'{"neural_gpu_tf": 1, "index": 1}\n')
            assert first.recv(99) == b'{"seen": true}\n'
        return meet(Cluster(tasks, 1), 20)

    gone = threading.Event()

    def late():
        gone.wait(1)
        return meet(Cluster(tasks, 2), 20)

    chief, *others = meetings.at_once([meeting(tasks, 0, 20), again, late])
    assert sorted(chief) == [1, 2]
    others[0][0].send({"value": 1})
    assert chief[1].receive() == {"value": 1}


def test_one_who_comes_again_at_once_finds_his_place_free():
    """Both his connections are heard of in one look of the chief's."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        ours = [_connected(listener.getsockname()) for _ in range(3)]
        first, again, third = (listener.accept()[0] for _ in range(3))
    mine, _, asking = ours
    come = {}
    _admit(_Hello(1, Channel(first)), 2, come)
    mine.close()
    anew, twin = Channel(again), Channel(third)
    _admit(_Hello(1, anew), 2, come)
    assert come == {1: anew}
    _admit(_Hello(1, twin), 2, come)
    assert come == {1: anew} and b"task 1 is there" in asking.recv(99)


def test_what_listened_at_the_chiefs_port_before_is_not_the_chief():
    tasks = meetings.tasks(2)
    before = socket.create_server(("127.0.0.1", tasks[0].port))

    def leave():
        connection, _ = before.accept()
        connection.recv(99)
        connection.sendall(b"\0\0\0 a gRPC server's answer\n")
        connection.close()
        before.close()
        return meet(Cluster(tasks, 0), 20)

    chief, other = meetings.at_once([leave, meeting(tasks, 1, 20)])
    assert sorted(chief) == [1] and sorted(other) == [0]


def test_a_port_that_stays_taken_is_told():
    tasks = meetings.tasks(2)
    with socket.create_server(("", tasks[0].port)):
        with pytest.raises(InputError, match="TF_CONFIG: worker 0 .* can't listen"):
            meet(Cluster(tasks, 0), 0.3)


def _connected(address):
    """A connection, as soon as somebody listens."""
    until = time.monotonic() + 10
    while True:
        try:
            return socket.create_connection(address)
        except OSError:
            assert time.monotonic() < until
            time.sleep(0.05)
