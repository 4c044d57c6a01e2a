"""LiteRT, once TensorFlow Lite: functions of tensors as files for small devices.

https://ai.google.dev/edge/litert
"""

import re
import tempfile
import threading
from pathlib import Path

import numpy as np
import tensorflow as tf

from neural_gpu_tf.errors import one_line
from neural_gpu_tf.serving.saved_model import Endpoint, write_endpoints

_SIGNATURE = "decode"


def write_litert(path: Path, endpoint: Endpoint, int8: bool = False) -> None:
    """Writes a function as a LiteRT file, of LiteRT's built-in operations alone.

    Args:
        path: the file.
        endpoint: the function; inputs and outputs keep their names.
        int8: weights are rounded to 8 bits, and what they are multiplied with too, at
            every call by its own range; LiteRT's "dynamic range quantization".

    Raises:
        ValueError: something in it has no counterpart in LiteRT; the message is one
            line.
    """
    from tensorflow.lite.python.convert_phase import ConverterError

    with tempfile.TemporaryDirectory() as folder:
        write_endpoints(Path(folder), [], {_SIGNATURE: endpoint})
        converter = tf.lite.TFLiteConverter.from_saved_model(
            folder, signature_keys=[_SIGNATURE]
        )
        converter.optimizations = [tf.lite.Optimize.DEFAULT] if int8 else []
        try:
            path.write_bytes(converter.convert())
        except ConverterError as error:
            raise ValueError(_reason(str(error))) from error


class LiteRTFile:
    """A function in a LiteRT file, to be called with arrays by name.

    Threads may share it; they compute one after the other.

    Args:
        path: the file.

    Raises:
        ValueError: LiteRT can't load it.
    """

    def __init__(self, path: Path):
        from ai_edge_litert.interpreter import Interpreter

        self._interpreter = Interpreter(model_path=str(path))
        self._run = self._interpreter.get_signature_runner(_SIGNATURE)
        self._one = threading.Lock()  # a call leaves its inputs in the interpreter

    def __call__(self, **inputs: np.ndarray) -> dict[str, np.ndarray]:
        """The outputs by name.

        Raises:
            ValueError: the inputs don't fit, or LiteRT can't compute them.
        """
        try:
            with self._one:
                return self._run(**inputs)
        except RuntimeError as error:
            raise ValueError(one_line(error)) from error


def _reason(message: str) -> str:
    """What the converter did not take, on one line."""
    for pattern in (r"(TF Select ops: .*)", r"error: (.*)"):
        found = re.search(pattern, message)
        if found:
            return one_line(found[1])
    return one_line(message)
