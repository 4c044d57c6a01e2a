"""Description of an export, in a file that servers pass over."""

import dataclasses
import inspect
import json
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import tensorflow as tf
from tensorflow.core.protobuf import saved_model_pb2

from neural_gpu_tf import __version__
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.files import read_json
from neural_gpu_tf.options import ServingConfig
from neural_gpu_tf.serving.saved_model import Endpoint

_LIMITS = [field.name for field in dataclasses.fields(ServingConfig)]
_FILE = "assets.extra/export.json"


def write_metadata(
    path: Path,
    endpoints: Mapping[str, Endpoint],
    limits: ServingConfig,
    about: Mapping[str, Any],
) -> None:
    """Writes assets.extra/export.json into a SavedModel that is there.

        {"versions": {"neural_gpu_tf": …, "tensorflow": …, "keras": …},
         "limits": {"max_text_bytes": 16384, "max_texts": 1024, …},
         "signatures": {"translate": {"doc": …, "inputs": {"text": {"dtype": "string",
           "shape": [null]}}, "outputs": {…}}, …}, …}

    Args:
        path: the SavedModel's folder.
        endpoints: by the names of their signatures; their docstrings' first paragraphs
            are the signatures' documentation.
        limits: of a request.
        about: more that is to be said, as JSON.
    """
    content = {
        "versions": {
            "neural_gpu_tf": __version__,
            **{name: version(name) for name in ("tensorflow", "keras")},
        },
        **about,
        "limits": dataclasses.asdict(limits),
        "signatures": {
            name: {"doc": _doc(endpoints[name]), **tensors}
            for name, tensors in _signatures(path).items()
        },
    }
    file = path / _FILE
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", "utf-8")


def read_metadata(path: Path) -> dict[str, Any]:
    """What `write_metadata` wrote; {} of an export that has none.

    Raises:
        InputError: the file is damaged.
    """
    file = path / _FILE
    if not file.exists():
        return {}
    try:
        content = read_json(file)
        limits = content["limits"]
        ServingConfig(**{name: limits[name] for name in _LIMITS})
    except (ValueError, KeyError, TypeError, InputError) as error:
        raise InputError(f"{file}: damaged ({error}); export again") from error
    return content


def _doc(endpoint: Endpoint) -> str:
    """The first paragraph of a function's docstring, on one line."""
    doc = inspect.getdoc(endpoint.function) or ""
    return " ".join(doc.partition("\n\n")[0].split())


def _signatures(path: Path) -> dict[str, Any]:
    """Inputs and outputs of each signature, as a server finds them."""
    content = (path / "saved_model.pb").read_bytes()
    graph = saved_model_pb2.SavedModel.FromString(content).meta_graphs[0]
    return {
        name: {
            "inputs": {key: _spec(x) for key, x in signature.inputs.items()},
            "outputs": {key: _spec(x) for key, x in signature.outputs.items()},
        }
        for name, signature in sorted(graph.signature_def.items())
        if not name.startswith("__")
    }


def _spec(info: Any) -> dict[str, Any]:
    shape = tf.TensorShape(info.tensor_shape)
    return {"dtype": tf.as_dtype(info.dtype).name, "shape": shape.as_list()}
