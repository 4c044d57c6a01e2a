"""The trained models that come with the package."""

import os
from pathlib import Path

from neural_gpu_tf.configuration import check_choice
from neural_gpu_tf.constants import TIMES
from neural_gpu_tf.errors import InputError

_DIRECTORY = Path(__file__).parent / "pretrained"


def pretrained_names() -> list[str]:
    """The names that `pretrained_run` takes."""
    return sorted(path.parent.name for path in _DIRECTORY.glob("*/config.json"))


def pretrained_solvers() -> list[str]:
    """Those of algorithms, which are the names of their tasks."""
    directories = {name: _DIRECTORY / name for name in pretrained_names()}
    return [n for n, path in directories.items() if not (path / "vocab.txt").exists()]


def pretrained_run(name: str) -> Path:
    """The run directory of a model that comes with the package.

    It has config.json, best.weights.h5 and NAME.flags, the flagfile that made it; a
    translator also vocab.txt, decoding.json and README.md, its model card.

    Raises:
        InputError: there is none of that name.
    """
    check_choice("pretrained", name, pretrained_names())
    return _DIRECTORY / name


def run_or_pretrained(run: str | os.PathLike[str]) -> Path:
    """The run directory given, or that of the model that comes with the package.

    A run directory of a model's name comes first.
    """
    name, path = os.fspath(run), Path(run)
    if name in pretrained_names() and not (path / "config.json").exists():
        return pretrained_run(name)
    return path


def pretrained_for(question: str) -> Path:
    """The model for a question that has an operator.

    For + it is badd, or add if there is a digit from 2 to 9; for * bmul.

    Raises:
        InputError: the question has none.
    """
    if "+" in question:
        return pretrained_run("add" if set(question) & set("23456789") else "badd")
    if any(operator in question for operator in TIMES):
        return pretrained_run("bmul")
    raise InputError(
        f"{question!r}: neither a sum nor a product; name the model: --pretrained="
        f"{'|'.join(pretrained_solvers())}, or --run_dir"
    )
