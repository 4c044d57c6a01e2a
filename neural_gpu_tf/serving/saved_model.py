"""SavedModels: versions written whole or not at all, signatures, what they answer."""

import contextlib
import functools
import logging
import os
import re
import shutil
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from neural_gpu_tf.errors import InputError, reason
from neural_gpu_tf.files import check_path, hidden, remove_leftovers

_VERSION = re.compile("[1-9][0-9]{0,17}")
_LAST = 10**18 - 1


class Endpoint(NamedTuple):
    """A function of a SavedModel, which becomes one of its signatures."""

    function: Callable[..., dict[str, tf.Tensor]]
    inputs: Sequence[tf.TensorSpec]  # named as the function's arguments are


def write_version(
    directory: str | os.PathLike[str],
    version: int | None,
    write: Callable[[Path], None],
) -> Path:
    """Writes `directory`/`version`/ whole or not at all.

    It is written beside, under a hidden name that servers pass over, and renamed. What
    processes of this machine left there when they were ended is removed.

    Args:
        directory: the folder that a server watches; made if it isn't there.
        version: a positive number; the one after the highest there, from 1, if None.
        write: writes into the folder that it is given, which is there, and checks it.

    Returns:
        The folder that was written.

    Raises:
        InputError: the version is there already or none that a server finds, or
            `directory` can't be written.
    """
    directory = Path(directory)
    if version is not None and not 1 <= version <= _LAST:
        raise InputError(f"version={version}: must be from 1 to {_LAST}")
    if version is None:
        version = 1 + max(version_numbers(directory), default=0)
    final = directory / str(version)
    if final.exists():
        raise InputError(
            f"{final}: this version is there already; choose another version or "
            "--export_dir"
        )
    beside = hidden(directory / f"{version}.{uuid.uuid4().hex}")
    try:
        remove_leftovers(directory)
        beside.mkdir(parents=True)
        with _quiet(tf.get_logger()):
            write(beside)
        beside.rename(final)
    except (OSError, tf.errors.OpError) as error:  # TensorFlow's of a full disk, too
        why = getattr(error, "strerror", None) or reason(error)
        raise InputError(
            f"{final}: can't write it: {why}; choose another --export_dir"
        ) from error
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    return final


def write_endpoints(
    path: Path, tracked: Sequence[Any], endpoints: Mapping[str, Endpoint]
) -> None:
    """Writes a SavedModel.

    Args:
        path: the folder.
        tracked: what holds the tables that the functions use. Variables are found in
            the functions' graphs.
        endpoints: by the names of their signatures.

    Raises:
        InputError: see `check_path`.
    """
    check_path(path.parent)
    module = tf.Module()
    module.tracked = list(tracked)
    traced: dict[Callable, Any] = {}
    signatures = {}
    for name, (function, inputs) in endpoints.items():
        if function not in traced:
            graph = tf.function(_of_shapes(function, inputs), autograph=False)
            # What is concrete is saved as it is; other functions are traced again.
            traced[function] = graph.get_concrete_function(*inputs)
        signatures[name] = traced[function]
        setattr(module, name, traced[function])
    variables = {v.ref(): v for graph in traced.values() for v in graph.variables}
    module.weights = list(variables.values())
    tf.saved_model.save(module, os.fspath(path), signatures)


def _of_shapes(
    function: Callable[..., dict[str, tf.Tensor]], inputs: Sequence[tf.TensorSpec]
) -> Callable[..., dict[str, tf.Tensor]]:
    """The function, which fails if it is fed tensors of other axes when it runs.

    TensorFlow does not check what a signature is fed: a [1, 1] where [batch] is due
    would be computed with, and give several answers to one text.
    """

    @functools.wraps(function)
    def of_shapes(*tensors: tf.Tensor) -> dict[str, tf.Tensor]:
        pairs = zip(tensors, inputs, strict=True)
        return function(*(tf.ensure_shape(x, spec.shape) for x, spec in pairs))

    return of_shapes


def answer_in_session(path: Path, texts: Sequence[str]) -> dict[str, np.ndarray]:
    """What a SavedModel says by default, in a session, to each text alone."""
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        loaded = tf.compat.v1.saved_model.load(session, ["serve"], os.fspath(path))
        signature = loaded.signature_def["serving_default"]
        outputs = {name: info.name for name, info in signature.outputs.items()}
        text = signature.inputs["text"].name
        answers = [session.run(outputs, {text: [one]}) for one in texts]
    return {name: np.concatenate([x[name] for x in answers]) for name in outputs}


def version_numbers(directory: Path) -> list[int]:
    """The versions in a folder; a folder of another name, like 01, is none."""
    if not directory.is_dir():
        return []
    return [int(x.name) for x in directory.iterdir() if _VERSION.fullmatch(x.name)]


@contextlib.contextmanager
def _quiet(logger: logging.Logger) -> Iterator[None]:
    """Within it only errors are logged; loading in a session is called deprecated."""
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)
