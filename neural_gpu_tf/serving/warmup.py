"""Requests that a server answers for itself before a version takes any.

https://www.tensorflow.org/tfx/serving/saved_model_warmup
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf
from tensorflow_serving.apis import predict_pb2, prediction_log_pb2

from neural_gpu_tf.errors import InputError, reason

_FILE = "assets.extra/tf_serving_warmup_requests"

Request = tuple[str, Mapping[str, Any]]
"""A signature's name, and its inputs by name."""


def write_warmup(path: Path, requests: Sequence[Request]) -> None:
    """Writes assets.extra/tf_serving_warmup_requests into a SavedModel that is there.

    Args:
        path: the SavedModel's folder.
        requests: what to ask; each is a `PredictionLog` of a TFRecord file.
    """
    file = path / _FILE
    file.parent.mkdir(exist_ok=True)
    with tf.io.TFRecordWriter(str(file)) as writer:
        for signature, inputs in requests:
            asked = predict_pb2.PredictRequest()
            asked.model_spec.signature_name = signature
            for name, value in inputs.items():
                asked.inputs[name].CopyFrom(tf.make_tensor_proto(value))
            log = prediction_log_pb2.PredictionLog(
                predict_log=prediction_log_pb2.PredictLog(request=asked)
            )
            writer.write(log.SerializeToString())


def read_warmup(path: Path) -> Iterator[Request]:
    """What `write_warmup` wrote; nothing of an export that has none.

    Raises:
        InputError: the file is damaged.
    """
    file = path / _FILE
    if not file.exists():
        return
    try:
        for record in tf.data.TFRecordDataset(str(file)).as_numpy_iterator():
            log = prediction_log_pb2.PredictionLog.FromString(record)
            asked = log.predict_log.request
            inputs = {k: np.array(tf.make_ndarray(v)) for k, v in asked.inputs.items()}
            yield asked.model_spec.signature_name, inputs
    except (tf.errors.OpError, ValueError, TypeError) as error:
        why = reason(error)
        raise InputError(f"{file}: damaged ({why}); export again") from error
