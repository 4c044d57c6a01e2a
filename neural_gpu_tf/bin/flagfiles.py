"""The experiments that come with the package, as flagfiles."""

from collections.abc import Sequence
from pathlib import Path

from neural_gpu_tf.errors import InputError

_PACKAGE = Path(__file__).parents[1]
_DIRECTORIES = (_PACKAGE / "configs", _PACKAGE.parent / "configs")
"""Of an installed package, and of its source tree."""


def flagfile(name: str) -> Path:
    """The flagfile that `--config` names.

    Args:
        name: a path, or the name of one that comes with the package: "badd".

    Raises:
        InputError: there is none; the message names those there are.
    """
    if Path(name).is_file():
        return Path(name)
    there = {x.stem: x for folder in _DIRECTORIES for x in folder.glob("*.flags")}
    if name not in there:
        raise InputError(
            f"--config={name}: no such file, nor one of {', '.join(sorted(there))}"
        )
    return there[name]


def with_flagfiles(argv: Sequence[str]) -> list[str]:
    """Arguments with `--config` written as the `--flagfile` that it stands for."""
    out, rest = [], iter(argv)
    for argument in rest:
        name, equals, value = argument.partition("=")
        if name in ("--config", "-config"):
            value = value if equals else next(rest, "")
            argument = f"--flagfile={flagfile(value)}"
        out.append(argument)
    return out
