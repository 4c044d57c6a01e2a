"""Imports TensorFlow without the lines that its libraries log while they load."""

import os
import sys
import tempfile

NVIDIA = "/dev/nvidiactl"


def import_tensorflow() -> None:
    """Imports TensorFlow; if that fails, what its libraries logged is shown.

    They log to standard error before TF_CPP_MIN_LOG_LEVEL is heeded, and that there is
    no GPU is an error to them. What they log later is left out too, unless
    TF_CPP_MIN_LOG_LEVEL is set: they call harmless things errors, and real ones are
    raised as Python exceptions.
    """
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    if "tensorflow" in sys.modules:
        return
    sys.stderr.flush()
    kept = os.dup(2)
    with tempfile.TemporaryFile() as log:
        os.dup2(log.fileno(), 2)
        try:
            import tensorflow as tf

            tf.get_logger().setLevel("WARNING")
            if not os.path.exists(NVIDIA):
                tf.config.list_physical_devices()
        except BaseException:
            log.seek(0)
            os.write(kept, log.read())
            raise
        finally:
            os.dup2(kept, 2)
            os.close(kept)
