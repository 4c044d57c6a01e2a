"""Imports TensorFlow without the lines that its libraries log while they load."""

import contextlib
import gc
import os
import sys
import tempfile
from collections.abc import Iterator

UNUSED = ("jax", "matplotlib")
"""What TensorFlow and Keras import where it is installed, for parts of theirs that no
binary uses; it takes over a quarter of the time of their import."""

NVIDIA = "/dev/nvidiactl"


def import_tensorflow() -> None:
    """Imports TensorFlow; if that fails, what its libraries logged is shown.

    They log to standard error before TF_CPP_MIN_LOG_LEVEL is heeded, and that there is
    no GPU is an error to them. What they log later is left out too, unless
    TF_CPP_MIN_LOG_LEVEL is set: they call harmless things errors, and real ones are
    raised as Python exceptions. What is UNUSED is not imported with it.

    What is imported stays, so Python's garbage collector is told not to look at it,
    which takes a fifth of the time of the import and most of that of Python's end.
    """
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    os.environ["KERAS_BACKEND"] = "tensorflow"  # whatever Keras runs on elsewhere
    if "tensorflow" in sys.modules:
        return
    sys.stderr.flush()
    kept = os.dup(2)
    with tempfile.TemporaryFile() as log:
        os.dup2(log.fileno(), 2)
        try:
            with _hidden(UNUSED), _uncollected():
                import tensorflow as tf

            tf.get_logger().setLevel("WARNING")
            if not os.path.exists(NVIDIA):
                tf.config.list_physical_devices()
        except Exception:  # not Ctrl-C
            log.seek(0)
            os.write(kept, log.read())
            raise
        finally:
            os.dup2(kept, 2)
            os.close(kept)


def use_threads(of_operation: int) -> None:
    """Sets the threads within an operation, 1 at least; not if TensorFlow runs."""
    import tensorflow as tf

    with contextlib.suppress(RuntimeError):
        tf.config.threading.set_intra_op_parallelism_threads(max(1, of_operation))


@contextlib.contextmanager
def _uncollected() -> Iterator[None]:
    """What is made within it is not garbage, now or later."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if enabled:
            gc.enable()


@contextlib.contextmanager
def _hidden(names: tuple[str, ...]) -> Iterator[None]:
    """Within it, modules that are not imported yet can't be; Keras's backend can."""
    backend = os.environ.get("KERAS_BACKEND")
    hidden = [x for x in names if x not in sys.modules and x != backend]
    sys.modules.update(dict.fromkeys(hidden))  # type: ignore[arg-type]
    try:
        yield
    finally:
        for name in hidden:
            sys.modules.pop(name, None)
