"""TensorFlow Serving's REST API: JSON to tensors and back, and what it takes.

https://www.tensorflow.org/tfx/serving/api_rest
"""

import base64
import binascii
import functools
import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf
from tensorflow.core.framework import types_pb2

from neural_gpu_tf.serving.model_versions import ServedVersion

_BAD_VALUE = (ValueError, TypeError, OverflowError, RecursionError, binascii.Error)


class RequestError(Exception):
    """A request that is not answered.

    Args:
        status: of HTTP.
        message: one line.
    """

    def __init__(self, status: int, message: str):
        super().__init__(message)
        self.status = status


class PredictRequest(NamedTuple):
    """A request, read."""

    signature: str
    inputs: dict[str, np.ndarray]  # the first axis is the batch
    by_rows: bool  # "instances", answered by "predictions"

    @property
    def instances(self) -> int:
        """How many are in the batch."""
        return max((len(value) for value in self.inputs.values()), default=0)


def read_request(body: bytes, version: ServedVersion) -> PredictRequest:
    """Reads the JSON of a predict request, in row or in column format.

    Raises:
        RequestError: 400; it is none, or not one of the signature's inputs.
    """
    try:
        content = json.loads(body.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise RequestError(400, f"JSON parse error: {error}") from error
    if not isinstance(content, dict):
        raise RequestError(400, "JSON value is not an object")
    name = content.get("signature_name", "")
    if name == "":
        name = "serving_default"
    if not isinstance(name, str) or name not in version.signatures:
        known = ", ".join(sorted(version.signatures))
        raise RequestError(400, f"signature_name {name!r}: choose one of {known}")
    specs = version.inputs(name)
    rows, columns = content.get("instances"), content.get("inputs")
    if (rows is None) == (columns is None):
        raise RequestError(400, "give either 'instances' or 'inputs'")
    if rows is not None:
        if not isinstance(rows, list) or not rows:
            raise RequestError(400, "'instances' must be a list that is not empty")
        given = _columns(rows, specs)
    elif isinstance(columns, dict) and not _is_bytes(columns):
        given = columns
    else:
        given = {_only(specs): columns}
    if set(given) != set(specs):
        raise RequestError(
            400, f"inputs {sorted(given)}: the signature takes {sorted(specs)}"
        )
    inputs = {key: _array(key, value, specs[key]) for key, value in given.items()}
    if len({len(value) for value in inputs.values()}) > 1:
        raise RequestError(400, "the inputs differ in their first dimension")
    return PredictRequest(name, inputs, rows is not None)


def describe(version: ServedVersion, signature: str) -> dict[str, Any]:
    """A signature as the API's metadata have it: a SignatureDef, as JSON."""
    return {
        "inputs": _tensors(version.inputs(signature)),
        "outputs": _tensors(version.outputs(signature)),
        "method_name": "tensorflow/serving/predict",
    }


def write_answer(request: PredictRequest, outputs: Mapping[str, np.ndarray]) -> bytes:
    """The JSON of the answer, as the request was: by rows or by columns."""
    values = {name: _jsonable(name, value) for name, value in outputs.items()}
    content: dict[str, Any]
    if request.by_rows:
        rows = [
            dict(zip(values, row, strict=True))
            for row in zip(*values.values(), strict=True)
        ]
        one = len(values) == 1
        content = {"predictions": [[*row.values()][0] if one else row for row in rows]}
    else:
        one_value = next(iter(values.values())) if len(values) == 1 else values
        content = {"outputs": one_value}
    return json.dumps(content, ensure_ascii=False, allow_nan=True).encode()


def _tensors(specs: Mapping[str, tf.TensorSpec]) -> dict[str, Any]:
    """Tensors by name, each as a TensorInfo; -1 stands for a length that is open."""
    shapes = {name: spec.shape.as_proto() for name, spec in specs.items()}
    return {
        name: {
            "dtype": types_pb2.DataType.Name(spec.dtype.as_datatype_enum),
            "tensor_shape": {
                "dim": [{"size": str(x.size), "name": ""} for x in shapes[name].dim],
                "unknown_rank": shapes[name].unknown_rank,
            },
            "name": spec.name,
        }
        for name, spec in specs.items()
    }


def _columns(rows: list[Any], specs: Mapping[str, Any]) -> dict[str, list[Any]]:
    """The rows' values by input; a row that is no object is the only input's."""
    if not all(isinstance(row, dict) and not _is_bytes(row) for row in rows):
        return {_only(specs): rows}
    if len({frozenset(row) for row in rows}) > 1:
        raise RequestError(400, "the instances differ in their inputs")
    return {key: [row[key] for row in rows] for key in rows[0]}


def _only(specs: Mapping[str, Any]) -> str:
    if len(specs) != 1:
        raise RequestError(400, f"name the inputs, which are {sorted(specs)}")
    return next(iter(specs))


def _is_bytes(value: Any) -> bool:
    return isinstance(value, dict) and set(value) == {"b64"}


def _array(name: str, value: Any, spec: tf.TensorSpec) -> np.ndarray:
    """A value of JSON as an array of the input's type and rank."""
    try:
        if spec.dtype == tf.string:
            array = np.array(_each(_bytes, value), object)
            # Not of array.flat, which has at most 32 dimensions.
            if any(isinstance(one, list) for one in array.ravel()):
                raise ValueError("its lists differ in length or depth")
        else:
            kinds = int if spec.dtype.is_integer else (int, float)
            numbers = _each(functools.partial(_number, kinds), value)
            array = np.array(numbers, spec.dtype.as_numpy_dtype)
    except _BAD_VALUE as error:
        raise RequestError(400, f"input {name!r}: {error}") from error
    if not spec.shape.is_compatible_with(array.shape):
        raise RequestError(
            400, f"input {name!r} has the shape {array.shape}, not {spec.shape}"
        )
    return array


def _each(read: Callable[[Any], Any], value: Any) -> Any:
    """What `read` makes of a value, or of each that is in its lists."""
    if isinstance(value, list):
        return [_each(read, one) for one in value]
    return read(value)


def _bytes(value: Any) -> bytes:
    """A text as bytes of UTF-8, {"b64": …} as the bytes that it stands for."""
    if _is_bytes(value) and isinstance(value["b64"], str):
        return base64.b64decode(value["b64"], validate=True)
    if not isinstance(value, str):
        raise TypeError(f"{type(value).__name__} where a string must stand")
    # What is half of a pair of UTF-16 becomes U+FFFD, as bytes that are no UTF-8 do.
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()


def _number(kinds: Any, value: Any) -> Any:
    """A number as it is; NumPy would read others from true, from 1.5 or from "1"."""
    if not isinstance(value, kinds) or isinstance(value, bool):
        what = "a whole number" if kinds is int else "a number"
        raise TypeError(f"{type(value).__name__} where {what} must stand")
    return value


def _jsonable(name: str, array: np.ndarray) -> list[Any]:
    if array.dtype != object:
        return array.tolist()
    if name.endswith("_bytes"):
        return [{"b64": base64.b64encode(x).decode()} for x in array.ravel().tolist()]
    texts = np.array([x.decode("utf-8", "replace") for x in array.ravel()], object)
    return texts.reshape(array.shape).tolist()
