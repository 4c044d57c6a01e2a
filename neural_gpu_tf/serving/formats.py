"""Formats of exports besides SavedModels."""

import importlib.util
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.serving.litert_file import LiteRTFile, write_litert
from neural_gpu_tf.serving.onnx_file import OnnxFile, write_onnx
from neural_gpu_tf.serving.saved_model import Endpoint

Call = Callable[..., dict[str, np.ndarray]]
"""A function of arrays by name."""


class Format(NamedTuple):
    """A file that holds one function of tensors."""

    file: str  # its name in a version's folder
    batch: int | None  # how many examples it takes at a time; None: any number
    packages: tuple[str, ...]  # that write and run it
    write: Callable[[Path, Endpoint], None]
    load: Callable[[Path], Call]
    exact: bool = True  # it has the weights as they are


_LITERT = Format("model.tflite", 1, ("ai_edge_litert",), write_litert, LiteRTFile)

FORMATS = {
    "onnx": Format(
        "model.onnx", None, ("tf2onnx", "onnx", "onnxruntime"), write_onnx, OnnxFile
    ),
    "litert": _LITERT,
    "litert_int8": _LITERT._replace(
        write=partial(write_litert, int8=True), exact=False
    ),
}
"""By the name that `--format` takes."""


def find_format(name: str) -> Format:
    """A format whose packages are there.

    Raises:
        InputError: there is no such format, or a package is not installed.
    """
    if name not in FORMATS:
        raise InputError(f"format={name}: choose one of {', '.join(FORMATS)}")
    missing = [x for x in FORMATS[name].packages if not importlib.util.find_spec(x)]
    if missing:
        raise InputError(
            f"format={name}: {', '.join(missing)} not installed; "
            "pip install 'neural-gpu-tf[formats]'"
        )
    return FORMATS[name]


def format_of(directory: Path) -> str | None:
    """The name of the format of one version of an export; None: it has no such file."""
    there = (name for name, x in FORMATS.items() if (directory / x.file).exists())
    return next(there, None)
