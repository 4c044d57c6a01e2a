"""Workers of a cluster as threads of this process."""

import concurrent.futures
import socket

from neural_gpu_tf.training.rendezvous import meet
from neural_gpu_tf.training.tf_config import Cluster, Task
from neural_gpu_tf.training.workers import ConnectedWorkers


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def tasks(count):
    """Workers on ports that nobody listens at."""
    return tuple(Task("worker", n, "127.0.0.1", free_port()) for n in range(count))


def at_once(calls):
    """What calls give, or raise, that run at the same time."""
    with concurrent.futures.ThreadPoolExecutor(len(calls)) as executor:
        futures = [executor.submit(call) for call in calls]
        return [future.exception() or future.result() for future in futures]


def together(count, *dos):
    """What each worker's `do(workers)` gives or raises; the last is the others', too.

    Threads, so that a test needs no TensorFlow of its own for each.
    """
    cluster = tasks(count)
    dos = [*dos, *dos[-1:] * (count - len(dos))]

    def work(own):
        with connected(Cluster(cluster, own)) as workers:
            return dos[own](workers)

    return at_once([lambda own=own: work(own) for own in range(count)])


def connected(cluster, deadline=20.0):
    return ConnectedWorkers(cluster, meet(cluster, deadline))


def die(workers):
    """Ends as a process does that is killed: it says nothing, connections close."""
    workers._lost.set()
    for channel in workers._channels.values():
        channel.close()
