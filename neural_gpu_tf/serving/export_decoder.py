"""Exports of the decoder alone, from symbols to symbols, in other formats."""

import contextlib
import dataclasses
import json
import os
from collections.abc import Callable, Iterator, Mapping
from importlib.metadata import version as installed
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf

from neural_gpu_tf import __version__
from neural_gpu_tf.decoding import all_symbols, n_best_search
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.inference import Solver, Translator
from neural_gpu_tf.runs import TaskRun
from neural_gpu_tf.serving.exported_decoder import (
    DESCRIPTION,
    VOCABULARY,
    ExportedDecoder,
    ExportedSolver,
)
from neural_gpu_tf.serving.formats import Format, find_format
from neural_gpu_tf.serving.saved_model import Endpoint, write_version

_SAMPLES = ("two", "", "Two thousand, three hundred and forty-five.")
_ANSWER = ("text", "size")
_LENGTHS = 3  # of a task's sample questions


def export_decoder(
    translator: Translator,
    directory: str | os.PathLike[str],
    format: str,
    version: int | None = None,
) -> Path:
    """Writes `directory`/`version`/ with a translator's decoder, all of it or nothing.

    The tokenizer's ops on strings are in no other format, so the file holds what is
    between, all of the search over canvas sizes, with the weights:

        source int32 [batch, n], length int32 [batch] →
        symbols int32 [batch, n'], log_probability float32 [batch], size int32 [batch]

    Beside it are vocab.txt and a description, export.json; `ExportedDecoder` translates
    texts with them. `config.decode_cells` bounds nothing: all canvases of a call are
    decoded at once. Before the folder appears it is loaded by the format's own library
    and compared with `translator` on a few texts: the translations are the same, or, of
    rounded weights, have about the same probability.

    Args:
        translator: what to export.
        directory: the folder for the versions; made if it isn't there.
        format: "onnx", or "litert", which takes one source at a time, as does
            "litert_int8", of weights that are rounded to 8 bits.
        version: a positive number; the one after the highest there, from 1, if None.

    Returns:
        The folder that was written.

    Raises:
        InputError: the version is there already, `directory` can't be written, the
            format's libraries are not there, or the model can't be written in it.
        RuntimeError: what was written does not answer as `translator` does.
    """
    config = translator.config
    if config.n_best > 1:
        raise InputError(f"n_best={config.n_best}: format={format} gives only the best")
    find_format(format)

    def write(path: Path) -> None:
        about = {
            "vocabulary_size": len(translator.tokenizer.vocabulary),
            "decoding": dataclasses.asdict(config),
        }
        translator.tokenizer.vocabulary.save(path / VOCABULARY)
        _write_description(path, format, about)
        with _refusals(format):
            _write_file(path, format, _decoding(translator), "length")
            _check(translator, path, find_format(format).exact)

    return write_version(directory, version, write)


def _decoding(translator: Translator) -> Callable[..., dict[str, tf.Tensor]]:
    """The search of a translator, from symbols to symbols."""

    def decode(source: tf.Tensor, length: tf.Tensor) -> dict[str, tf.Tensor]:
        found = n_best_search(
            translator.model,
            source,
            length,
            translator.config,
            translator.size_predictor,
            at_once=True,
        ).best
        return {
            "symbols": found.symbols,
            "log_probability": found.log_probability,
            "size": found.size,
        }

    return decode


def export_task_decoder(
    run: TaskRun,
    directory: str | os.PathLike[str],
    format: str,
    version: int | None = None,
) -> Path:
    """Writes `directory`/`version`/ with a task's solver, all of it or nothing.

    Reading and writing of the task's texts stay in Python, so the file holds what is
    between, `all_symbols`:

        source int32 [batch, n], size int32 [batch] → symbols int32 [batch, n]

    Beside it is a description, export.json; `ExportedSolver` answers with them.

    Args:
        run: from `load_task_run`.
        directory, format, version: as for `export_decoder`.

    Returns, raises:
        As `export_decoder`.
    """
    find_format(format)

    def solve(source: tf.Tensor, size: tf.Tensor) -> dict[str, tf.Tensor]:
        return {"symbols": all_symbols(run.model, source, size)}

    def write(path: Path) -> None:
        about = {"task": run.task.name, "blank_columns": run.task.blank_columns}
        _write_description(path, format, about)
        with _refusals(format):
            _write_file(path, format, solve, "size")
            _check_task(run, path, find_format(format).exact)

    return write_version(directory, version, write)


def _write_file(
    path: Path,
    format: str,
    function: Callable[..., dict[str, tf.Tensor]],
    count: str,
) -> None:
    """Writes a function of symbols and of how many they are."""
    kind: Format = find_format(format)
    endpoint = Endpoint(
        function,
        [
            tf.TensorSpec([kind.batch, None], tf.int32, name="source"),
            tf.TensorSpec([kind.batch], tf.int32, name=count),
        ],
    )
    kind.write(path / kind.file, endpoint)
    kind.load(path / kind.file)


@contextlib.contextmanager
def _refusals(format: str) -> Iterator[None]:
    """What a format's libraries refuse becomes an InputError."""
    try:
        yield
    except InputError:
        raise
    except ValueError as error:
        raise InputError(
            f"format={format}: the model can't be written in it ({error}); export a "
            "SavedModel"
        ) from error


def _write_description(path: Path, format: str, about: Mapping[str, Any]) -> None:
    packages = ("tensorflow", "keras")
    content = {
        "versions": {
            "neural_gpu_tf": __version__,
            **{name: installed(name) for name in packages},
        },
        "format": format,
        **about,
    }
    text = json.dumps(content, indent=1, ensure_ascii=False) + "\n"
    (path / DESCRIPTION).write_text(text, "utf-8")


def _check(translator: Translator, path: Path, exact: bool) -> None:
    """Raises unless the file answers as the translator does.

    Of rounded weights most of the probabilities must be about the same, as a text may
    have another translation that is nearly as likely.
    """
    texts = tf.constant(_SAMPLES)
    expected = translator.translate(texts)
    answer = ExportedDecoder(path).translate(texts)
    both = answer["log_probability"], expected["log_probability"]
    if not exact:
        if np.mean(np.isclose(*both, rtol=0.1, atol=0.1)) < 0.5:
            raise ValueError("of rounded weights it translates otherwise")
        return
    same = all(np.array_equal(answer[name], expected[name]) for name in _ANSWER)
    if not same or not np.allclose(*both, rtol=1e-3, atol=1e-3):
        raise RuntimeError(f"{path}: the export answers {answer}, the model {expected}")


def _check_task(run: TaskRun, path: Path, exact: bool) -> None:
    """Raises unless the file answers as the solver does."""
    random, solve = np.random.default_rng(0), Solver(run.model)
    exported = ExportedSolver(path)
    for length in run.task.minimum_length + 4 * np.arange(_LENGTHS):
        source = run.task.generate(random, int(length), 1)[0]
        arguments = tf.constant(source), tf.constant(run.task.size(source))
        answer, expected = exported(*arguments), solve(*arguments)
        if np.array_equal(answer, expected):
            continue
        if not exact:
            raise ValueError("of rounded weights it answers otherwise")
        raise RuntimeError(
            f"{path}: the export answers {answer} to {source}, the model {expected}"
        )
