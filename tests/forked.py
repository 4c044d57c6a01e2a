"""Training processes, forked from one that has imported TensorFlow.

To import it takes most of the time of a start. No operation may have run before.
"""

import json
import os
import socket
import sys
import time
from pathlib import Path

LOST = 138  # the status of a worker that has lost another


def train(log: Path, flags: list[str], devices: int = 1) -> int:
    """Forks a process that trains, and returns its number.

    Args:
        log: the file to whose end it writes.
        flags: of neural-gpu-train.
        devices: logical ones of the CPU.
    """
    child = os.fork()
    if child:
        return child
    try:
        output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.dup2(output, 1)
        os.dup2(output, 2)
        sys.argv = ["neural-gpu-train", *flags]
        import tensorflow as tf

        from neural_gpu_tf.bin import train

        tf.config.set_logical_device_configuration(
            tf.config.list_physical_devices("CPU")[0],
            devices * [tf.config.LogicalDeviceConfiguration()],
        )
        train.cli()
    except SystemExit as end:
        os._exit(int(end.code or 0))
    except BaseException:
        os._exit(70)
    os._exit(0)


def workers(log: Path, flags: list[str], count: int) -> list[int]:
    """Forks processes that train together, the chief first."""
    cluster = {"worker": [f"127.0.0.1:{port}" for port in free_ports(count)]}
    return [worker(log, flags, cluster, index) for index in range(count)]


def worker(log: Path, flags: list[str], cluster: dict, index: int) -> int:
    """Forks one of them."""
    task = {"type": "worker", "index": index}
    os.environ["TF_CONFIG"] = json.dumps({"cluster": cluster, "task": task})
    try:
        return train(log, [*flags, "--distribution=multi_worker"])
    finally:
        del os.environ["TF_CONFIG"]


def free_ports(count: int) -> list[int]:
    """Ports that nobody listens at."""
    found = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in found]
    for one in found:
        one.close()
    return ports


def statuses(children: list[int], seconds: float) -> list[int]:
    """Of processes their exit statuses, -N for a signal N.

    Raises:
        AssertionError: they don't end in so many seconds; they are killed.
    """
    until, found = time.monotonic() + seconds, {}
    while len(found) < len(children):
        for child in {*children} - {*found}:
            ended, status = os.waitpid(child, os.WNOHANG)
            if ended:
                found[child] = os.waitstatus_to_exitcode(status)
            elif time.monotonic() > until:
                os.kill(child, 9)
                os.waitpid(child, 0)
                raise AssertionError(f"{child} has not ended in {seconds} s")
        time.sleep(0.005)
    return [found[child] for child in children]
