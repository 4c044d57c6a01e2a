"""Where to train."""

import functools

import tensorflow as tf

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
            f"--replicas={replicas}: there are {len(devices)} devices; give a smaller "
            "number, or 0 for all"
        )
    return _strategy_on(tuple(device.name for device in devices[:count]))


@functools.cache
def _strategy_on(devices: tuple[str, ...]) -> tf.distribute.MirroredStrategy:
    """The one strategy on these devices.

    TensorFlow numbers the reductions of every strategy from the same number on, so
    those of two strategies on the same devices would be mixed up.
    """
    return tf.distribute.MirroredStrategy(list(devices))
