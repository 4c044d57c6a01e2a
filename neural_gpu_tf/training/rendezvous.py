"""How the processes of a cluster find each other before they train.

TensorFlow itself waits for a missing process forever and ignores signals meanwhile. So
the chief first listens at its address of TF_CONFIG itself. Each worker connects, sends

    {"neural_gpu_tf": 1, "index": 2}

and hears {"seen": true} at once, so that it knows the chief from what listened there
before; then {"go": true}, or {"lost": …} if one does not come. The connections stay,
for `ConnectedWorkers`; the chief's port is then TensorFlow's.
"""

import queue
import socket
import threading
import time
from typing import Any, NamedTuple

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.training.channel import Channel, Closed
from neural_gpu_tf.training.ends import WorkerLost
from neural_gpu_tf.training.tf_config import Cluster, Task

_VERSION = 1
_ANSWER = 5.0  # seconds in which a peer must say who it is
_AGAIN = 0.2  # seconds between two tries to connect


class _Hello(NamedTuple):
    sender: int
    channel: Channel


def meet(cluster: Cluster, deadline: float) -> dict[int, Channel]:
    """Connections to the others, when all have come.

    Args:
        cluster: who is to come.
        deadline: seconds from now in which all must have come.

    Returns:
        By index: of the chief one to each worker, of a worker the one to the chief.

    Raises:
        WorkerLost: some did not come; names them.
        InputError: two are the same task, or the chief's port is taken.
    """
    until = time.monotonic() + deadline
    if cluster.own:
        return {0: _join(cluster, until, deadline)}
    if len(cluster.tasks) == 1:
        return {}
    come: dict[int, Channel] = {}
    with _listener(cluster.tasks[0], until) as listener:
        _gather(listener, cluster, until, come)
    missing = [t for i, t in enumerate(cluster.tasks) if i and i not in come]
    word = {"lost": _did_not_come(missing, deadline)} if missing else {"go": True}
    for channel in come.values():
        _say(channel, word)
    if missing:
        raise WorkerLost(word["lost"])
    return come


def _listener(task: Task, until: float) -> socket.socket:
    """Listens at the chief's port, as soon as what was there before has gone."""
    both = socket.has_dualstack_ipv6()
    family = socket.AF_INET6 if both else socket.AF_INET
    while True:
        try:
            return socket.create_server(
                ("", task.port), family=family, dualstack_ipv6=both
            )
        except OSError as error:
            if time.monotonic() > until:
                raise InputError(
                    f"TF_CONFIG: {task}: can't listen at this port ({error.strerror}); "
                    "name another"
                ) from error
            time.sleep(_AGAIN)


def _gather(
    listener: socket.socket, cluster: Cluster, until: float, come: dict[int, Channel]
) -> None:
    """Fills `come`, until all are there at once or it is too late."""
    hellos: queue.Queue[_Hello] = queue.Queue()
    listener.settimeout(_AGAIN)
    while time.monotonic() < until:
        try:
            connection, _ = listener.accept()
            # Beside, as one who never says anything must hold up nobody.
            args = connection, hellos
            threading.Thread(target=_hear, args=args, daemon=True).start()
        except TimeoutError:
            pass
        _let_go(come)
        while not hellos.empty():
            _admit(hellos.get(), len(cluster.tasks), come)
        if len(come) + 1 == len(cluster.tasks):
            return


def _let_go(come: dict[int, Channel]) -> None:
    """Takes those out who have hung up; they may come again."""
    for sender in [k for k, channel in come.items() if not channel.is_alive()]:
        come.pop(sender).close()


def _admit(hello: _Hello, tasks: int, come: dict[int, Channel]) -> None:
    """Puts a peer into `come`, unless there is one of its task, or no such task."""
    sender, channel = hello
    _let_go(come)  # the one who is there may have hung up since he was admitted
    if 0 < sender < tasks and sender not in come:
        come[sender] = channel
        return
    _say(channel, {"error": f"task {sender} is there, or is none of the chief's"})
    channel.close()


def _hear(connection: socket.socket, hellos: queue.Queue[_Hello]) -> None:
    """Puts into `hellos` what a peer says, if it is one."""
    channel = Channel(connection)
    try:
        said = channel.receive(_ANSWER)
        if said.get("neural_gpu_tf") != _VERSION:
            raise Closed
        hello = _Hello(int(said["index"]), channel)
        channel.send({"seen": True})
    except (Closed, KeyError, TypeError, ValueError):
        channel.close()
    else:
        hellos.put(hello)


def _join(cluster: Cluster, until: float, deadline: float) -> Channel:
    """A worker's connection to the chief, when the chief says go."""
    chief = cluster.tasks[0]
    while not (channel := _seen(chief, cluster.own)):
        if time.monotonic() > until:
            raise WorkerLost(_did_not_come([chief], deadline))
        time.sleep(_AGAIN)
    try:
        said = channel.receive()  # the chief has a deadline
    except Closed as error:
        raise WorkerLost(f"{chief} has gone before training began") from error
    if "lost" in said:
        raise WorkerLost(said["lost"])
    if "error" in said:
        raise InputError(
            f"TF_CONFIG: {said['error']}; give each worker a task of its own"
        )
    return channel


def _seen(chief: Task, own: int) -> Channel | None:
    """A connection to the chief, who has seen us; None if it is not there yet."""
    try:
        address = chief.host, chief.port
        channel = Channel(socket.create_connection(address, timeout=_ANSWER))
    except OSError:
        return None
    try:
        channel.send({"neural_gpu_tf": _VERSION, "index": own})
        if channel.receive(_ANSWER).get("seen"):
            return channel
    except Closed:
        pass  # what listened there before, or does so now
    channel.close()
    return None


def _did_not_come(missing: list[Task], deadline: float) -> str:
    return (
        f"{', '.join(map(str, missing))} did not appear within --worker_deadline="
        f"{deadline:g} seconds; start every process that TF_CONFIG names"
    )


def _say(channel: Channel, message: dict[str, Any]) -> None:
    try:
        channel.send(message)
    except Closed:
        pass  # whether it has gone is seen later
