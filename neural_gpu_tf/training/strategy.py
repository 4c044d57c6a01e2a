"""Distribution strategy and threads."""

import functools

import tensorflow as tf
from absl import logging

from neural_gpu_tf.cores import usable_cores
from neural_gpu_tf.errors import InputError


def mirrored_strategy(replicas: int = 0) -> tf.distribute.MirroredStrategy:
    """A MirroredStrategy over GPUs, or over (logical) CPUs where there are none.

    Args:
        replicas: how many devices; 0 for every visible GPU, or one CPU.

    Raises:
        InputError: there are not so many devices.
    """
    gpus = tf.config.list_logical_devices("GPU")
    devices = gpus or tf.config.list_logical_devices("CPU")
    count = replicas or max(len(gpus), 1)
    if count > len(devices):
        raise InputError(
            f"replicas={replicas}: there are {len(devices)} devices; give a smaller "
            "number, or 0 for all"
        )
    return _strategy_on(tuple(device.name for device in devices[:count]))


def one_device_strategy() -> tf.distribute.OneDeviceStrategy:
    """A OneDeviceStrategy on the first GPU, or on the CPU where there is none."""
    kind = "GPU" if tf.config.list_logical_devices("GPU") else "CPU"
    return tf.distribute.OneDeviceStrategy(f"/device:{kind}:0")


@functools.cache
def _strategy_on(devices: tuple[str, ...]) -> tf.distribute.MirroredStrategy:
    """The one strategy on these devices.

    TensorFlow numbers the reductions of every strategy from the same number on, so
    those of two strategies on the same devices would be mixed up.
    """
    return tf.distribute.MirroredStrategy(list(devices))


def batch_parts(given: int, replicas: int) -> int:
    """The parts of a replica's batch computed side by side.

    Args:
        given: as given by the user; 0 for one a core, or 1 on GPUs.
        replicas: those of this process, which share its cores.
    """
    if given:
        return given
    if tf.config.list_physical_devices("GPU"):
        return 1
    return max(1, usable_cores() // replicas)


def use_cores(parts: int) -> None:
    """Sets TensorFlow's threads for batches computed in this many parts side by side.

    The operations of an active memory are many and small. Two cores on one of them
    wait for each other most of the time; each on its own part of the batch never do.

    Where TensorFlow runs already its threads stay as they are, with a warning.

    Args:
        parts: see `TrainStep`.
    """
    cores = usable_cores()
    try:
        tf.config.threading.set_intra_op_parallelism_threads(max(1, cores // parts))
        tf.config.threading.set_inter_op_parallelism_threads(max(2, parts))
    except RuntimeError:
        logging.warning("TensorFlow runs already: its threads stay as they are")
