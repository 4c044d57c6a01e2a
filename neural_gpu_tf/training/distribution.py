"""Which devices, and which processes, train together."""

import contextlib
import dataclasses
import importlib.metadata
import signal
from collections.abc import Iterator
from typing import Any, NamedTuple

import tensorflow as tf
from absl import logging

from neural_gpu_tf import __version__
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.options import TrainingConfig
from neural_gpu_tf.training.rendezvous import meet
from neural_gpu_tf.training.strategy import mirrored_strategy, one_device_strategy
from neural_gpu_tf.training.tf_config import VARIABLE, read_cluster, workers_named
from neural_gpu_tf.training.workers import ConnectedWorkers, Workers


class Distribution(NamedTuple):
    """What a run is distributed over."""

    strategy: tf.distribute.Strategy
    workers: Workers  # a context, to be left when training is over


@contextlib.contextmanager
def distribution(
    training: TrainingConfig, *others: Any, **more: str
) -> Iterator[Distribution]:
    """The strategy that `training.distribution` names, and the workers; a context.

    With "multi_worker" it begins when every worker is there; nothing of TensorFlow's
    may have run before in this process.

    Args:
        training: the training options.
        others: further dataclasses of options; `more`: further ones by name. All
            workers must have the same.

    Raises:
        InputError: there are not so many devices; TF_CONFIG is wrong, or names several
            workers where each would train alone; or another worker has other options.
        WorkerLost: another worker did not appear in time, or has gone.
    """
    if training.distribution == "multi_worker":
        with _workers(training) as (workers, tasks):
            options = _options([training, *others]) | more | {"TF_CONFIG": tasks}
            workers.check_same(options | _surroundings(), "start all with the same")
            yield Distribution(_multi_worker_strategy(training), workers)
        return
    if (count := workers_named()) > 1:
        raise InputError(
            f"{VARIABLE} names {count} workers, but distribution="
            f"{training.distribution} trains in one process: unset {VARIABLE}, or "
            "give distribution=multi_worker"
        )
    if training.distribution == "mirrored":
        yield Distribution(mirrored_strategy(training.replicas), Workers())
        return
    if training.replicas > 1:
        raise InputError(
            f"replicas={training.replicas}: distribution=one_device has one device; "
            "leave one of them out"
        )
    yield Distribution(one_device_strategy(), Workers())


@contextlib.contextmanager
def _workers(training: TrainingConfig) -> Iterator[tuple[Workers, list[str]]]:
    """The workers of TF_CONFIG, when all are there, and their names and addresses."""
    cluster = read_cluster()
    if cluster is None:
        raise InputError(
            f"distribution=multi_worker: {VARIABLE} names no cluster; set it, with "
            "each worker's own task, or leave the option out"
        )
    if training.replicas:
        raise InputError(
            f"replicas={training.replicas}: with distribution=multi_worker a worker "
            "trains on all its visible GPUs, or on one CPU; give 0"
        )
    channels = meet(cluster, training.worker_deadline)
    logging.info(
        "%s of %d; %s validates, writes and reports",
        *(cluster.tasks[cluster.own], len(cluster.tasks), cluster.tasks[0]),
    )
    with ConnectedWorkers(cluster, channels) if channels else Workers() as workers:
        yield workers, list(map(str, cluster.tasks))


def _multi_worker_strategy(
    training: TrainingConfig,
) -> tf.distribute.MultiWorkerMirroredStrategy:
    """All devices of all workers; NCCL between GPUs, a ring over gRPC between CPUs."""
    kinds = tf.distribute.experimental.CommunicationImplementation
    gpus = tf.config.list_physical_devices("GPU")
    options = tf.distribute.experimental.CommunicationOptions(
        implementation=kinds.NCCL if gpus else kinds.RING
    )
    try:
        with _ended_after(training.worker_deadline):
            return tf.distribute.MultiWorkerMirroredStrategy(
                communication_options=options
            )
    except RuntimeError as error:
        raise InputError(
            f"distribution=multi_worker: {error}; train in a process of "
            "its own, where TensorFlow does not run yet"
        ) from error


def _options(configs: list[Any]) -> dict[str, Any]:
    """All options by name."""
    return {k: v for one in configs for k, v in dataclasses.asdict(one).items()}


def _surroundings() -> dict[str, Any]:
    """What the numbers depend on besides the options."""
    names = "tensorflow", "keras"
    versions = {name: importlib.metadata.version(name) for name in names}
    gpus = len(tf.config.list_physical_devices("GPU"))
    return versions | {"neural_gpu_tf": __version__, "GPUs": gpus}


@contextlib.contextmanager
def _ended_after(seconds: float) -> Iterator[None]:
    """Ends the process if what is within takes longer.

    TensorFlow waits there for a worker that was there just now, without end, and lets
    no other code of Python's run; only the operating system can end it.
    """
    if not hasattr(signal, "setitimer"):  # Windows
        yield
        return
    before = signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, max(seconds, 1.0))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before or signal.SIG_DFL)
