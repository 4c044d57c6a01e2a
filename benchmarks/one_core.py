"""Keeping a benchmark to one core."""

import os


def keep_to_one_core(core: int | None = None) -> None:
    """Keeps this process, and those that it starts, to one core and one thread at work.

    Call it before TensorFlow is used. Where the system can't bind a process to a core,
    as on macOS, only TensorFlow's threads are set.

    Args:
        core: which; None: the last of those that the process may use.
    """
    from neural_gpu_tf.training.strategy import use_cores

    if hasattr(os, "sched_setaffinity"):
        cores = os.sched_getaffinity(0) if core is None else {core}
        os.sched_setaffinity(0, {max(cores)})
    use_cores(1)
