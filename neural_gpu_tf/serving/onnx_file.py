"""ONNX: functions of tensors as files for ONNX Runtime.

https://onnx.ai, https://github.com/onnx/tensorflow-onnx
"""

import contextlib
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf

from neural_gpu_tf.errors import one_line
from neural_gpu_tf.serving.saved_model import Endpoint

_OPSET = 18
_LOGGER = "tf2onnx"


def write_onnx(path: Path, endpoint: Endpoint) -> None:
    """Writes a function as an ONNX file, its variables as constants.

    Args:
        path: the file.
        endpoint: the function; inputs and outputs keep their names.

    Raises:
        ValueError: something in it has no counterpart in ONNX; the message is one line.
    """
    import tf2onnx

    graph = tf.function(endpoint.function, autograph=False)
    with _faults() as faults:
        tf2onnx.convert.from_function(
            graph,
            input_signature=list(endpoint.inputs),
            opset=_OPSET,
            custom_op_handlers={"SelectV2": (_select, [])},
            output_path=str(path),
        )
    if faults:
        raise ValueError(faults[0])


class OnnxFile:
    """A function in an ONNX file, to be called with arrays by name.

    Args:
        path: the file.

    Raises:
        ValueError: ONNX Runtime can't load it.
    """

    def __init__(self, path: Path):
        import onnxruntime

        try:
            self._session = onnxruntime.InferenceSession(
                str(path), providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # of C++, of no common class
            raise ValueError(one_line(error)) from error
        self._outputs = [output.name for output in self._session.get_outputs()]

    def __call__(self, **inputs: np.ndarray) -> dict[str, np.ndarray]:
        """The outputs by name.

        Raises:
            ValueError: the inputs don't fit, or ONNX Runtime can't compute them.
        """
        try:
            values = self._session.run(self._outputs, inputs)
        except Exception as error:  # of C++, of no common class
            raise ValueError(one_line(error)) from error
        return dict(zip(self._outputs, values, strict=True))


def _select(context: Any, node: Any, name: str, arguments: Any) -> None:
    """ONNX's own choice; the converter multiplies by 0, and 0 · -inf is no number."""
    condition, true, false = node.input
    if context.get_dtype(node.output[0]) != _bool():  # ONNX Runtime has none of these
        node.type = "Where"
        return
    shape, kind = context.get_shape(node.output[0]), [_bool()]
    outputs = list(node.output)
    context.remove_node(node.name)
    no = context.make_node("Not", [condition]).output[0]
    parts = [
        context.make_node("And", pair).output[0]
        for pair in ([condition, true], [no, false])
    ]
    context.make_node("Or", parts, outputs=outputs, dtypes=kind, shapes=[shape])


def _bool() -> int:
    import onnx

    return onnx.TensorProto.BOOL


@contextlib.contextmanager
def _faults() -> Iterator[list[str]]:
    """What the converter logs as errors and goes on after; nothing is shown."""
    faults: list[str] = []

    class Keep(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if record.levelno >= logging.ERROR:
                faults.append(one_line(record.getMessage()))

    logger, keep = logging.getLogger(_LOGGER), Keep()
    before = logger.propagate, logger.level
    logger.addHandler(keep)
    logger.propagate = False
    try:
        yield faults
    finally:
        logger.removeHandler(keep)
        logger.propagate, logger.level = before
