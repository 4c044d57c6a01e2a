"""Where to train."""

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
    return tf.distribute.MirroredStrategy([d.name for d in devices[:count]])
