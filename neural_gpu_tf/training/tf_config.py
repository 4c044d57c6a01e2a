"""What TF_CONFIG says: which processes train together, and which this one is."""

import json
import os
from collections.abc import Mapping
from typing import Any, NamedTuple

from neural_gpu_tf.errors import InputError

VARIABLE = "TF_CONFIG"
_KINDS = ("chief", "worker")
_KEYS = ("cluster", "environment", "rpc_layer", "task")


class Task(NamedTuple):
    """A process of a cluster."""

    kind: str  # "chief" or "worker"
    number: int  # among those of its kind
    host: str
    port: int

    def __str__(self) -> str:
        return f"{self.kind} {self.number} ({self.host}:{self.port})"


class Cluster(NamedTuple):
    """The processes that train together, and this one's place among them."""

    tasks: tuple[Task, ...]  # the chief first: "chief" 0, or else "worker" 0
    own: int  # index of this process's task


def read_cluster() -> Cluster | None:
    """The cluster of TF_CONFIG; None if it names none.

        {"cluster": {"worker": ["host:port", ...]}, "task": {"type": "worker",
         "index": 0}}

    Raises:
        InputError: TF_CONFIG is not what TensorFlow reads, has an unknown key, or
            names a process that takes no part in training.
    """
    values = _values()
    _check_keys("", values, _KEYS)
    if values.get("rpc_layer", "grpc") != "grpc":
        raise InputError(f"{VARIABLE}: rpc_layer {values['rpc_layer']!r} is not grpc")
    if not values.get("cluster"):
        return None
    tasks = _tasks(values["cluster"])
    own = values.get("task")
    if not isinstance(own, dict):
        raise InputError(f"{VARIABLE}: no task; say which process this one is")
    _check_keys("task", own, ("index", "type"))
    for index, task in enumerate(tasks):
        if [task.kind, task.number] == [own.get("type"), _number(own.get("index"))]:
            return Cluster(tasks, index)
    raise InputError(
        f"{VARIABLE}: task {json.dumps(own)} is none of the cluster's: "
        f"{', '.join(map(str, tasks))}"
    )


def workers_named() -> int:
    """How many processes TF_CONFIG has train together, 0 if it names none.

    Raises:
        InputError: TF_CONFIG is not what TensorFlow reads.
    """
    cluster = _values().get("cluster") or {}
    if not isinstance(cluster, dict):
        raise InputError(f"{VARIABLE}: cluster is {cluster!r}, not an object")
    return sum(len(_addresses(cluster, kind)) for kind in _KINDS)


def _values() -> dict[str, Any]:
    try:
        values = json.loads(os.environ.get(VARIABLE) or "{}")
    except ValueError as error:
        raise InputError(f"{VARIABLE}: not JSON ({error})") from error
    if not isinstance(values, dict):
        raise InputError(f"{VARIABLE}: {values!r} where an object must stand")
    return values


def _tasks(cluster: Any) -> tuple[Task, ...]:
    """The tasks of a cluster; raises InputError if they can't be read."""
    if not isinstance(cluster, dict):
        raise InputError(f"{VARIABLE}: cluster is {cluster!r}, not an object")
    _check_keys("cluster", cluster, _KINDS)
    tasks = []
    for kind in _KINDS:
        addresses = _addresses(cluster, kind)
        tasks += [_task(kind, n, address) for n, address in enumerate(addresses)]
    if len(cluster.get("chief", [])) > 1:
        raise InputError(f"{VARIABLE}: more than one chief")
    return tuple(tasks)


def _addresses(cluster: Mapping[str, Any], kind: str) -> list[Any]:
    addresses = cluster.get(kind, [])
    if not isinstance(addresses, list):
        raise InputError(f"{VARIABLE}: cluster: {kind} is {addresses!r}, no list")
    return addresses


def _task(kind: str, number: int, address: Any) -> Task:
    host, colon, port = str(address).rpartition(":")
    if not (host and colon and port.isdecimal() and 0 < int(port) < 2**16):
        raise InputError(
            f"{VARIABLE}: {kind} {number} is {address!r}, not an address HOST:PORT"
        )
    return Task(kind, number, host.strip("[]"), int(port))


def _check_keys(where: str, values: Mapping[str, Any], legal: tuple[str, ...]) -> None:
    unknown = sorted(set(values) - {*legal})
    if unknown:
        raise InputError(
            f"{VARIABLE}: {where + ': ' if where else ''}unknown key {unknown[0]!r}; "
            f"legal keys are {', '.join(legal)}"
        )


def _number(value: Any) -> int | None:
    """A task's index; TensorFlow takes digits in quotes, too."""
    if isinstance(value, str) and value.isdecimal():
        return int(value)
    return value if type(value) is int else None
