"""Keeping a benchmark to one core."""

import os

from neural_gpu_tf.errors import InputError


def keep_to_one_core(core: int | None = None) -> None:
    """Keeps this process, and those that it starts, to one core and one thread at work.

    Call it before TensorFlow is used. Where the system can't bind a process to a core,
    as on macOS, only TensorFlow's threads are set.

    Args:
        core: which; None: the last of those that the process may use.

    Raises:
        InputError: the process may not use that one.
    """
    from neural_gpu_tf.training.strategy import use_cores

    if hasattr(os, "sched_setaffinity"):
        usable = os.sched_getaffinity(0)
        if core is not None and core not in usable:
            cores = ", ".join(map(str, sorted(usable)))
            raise InputError(f"--core={core}: this process may use {cores}; name one")
        os.sched_setaffinity(0, {max(usable) if core is None else core})
    use_cores(1)
