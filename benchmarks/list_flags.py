"""Flags that are lists, checked as they are read."""

from collections.abc import Callable, Sequence

from absl import flags


def define_numbers(
    name: str,
    default: Sequence[float],
    text: str,
    kind: type = int,
    least: float = 1,
    empty: bool = False,
) -> None:
    """Defines a flag of different numbers with commas between; `numbers` has them.

    Args:
        name: the flag's.
        default: its numbers.
        text: what --help says of it.
        kind: int or float.
        least: the smallest that may be given.
        empty: whether there may be none.
    """

    def right(given: Sequence[str]) -> bool:
        try:
            found = [kind(x) for x in given if x]
        except ValueError:
            return False
        different = len({*found}) == len(found)
        return different and bool(found or empty) and all(x >= least for x in found)

    wanted = f"give different numbers from {least}, with commas between"
    _define(name, [str(x) for x in default], text, right, wanted)


def define_names(
    name: str, default: Sequence[str], choices: Sequence[str], text: str
) -> None:
    """Defines a flag of different names, of `choices`, with commas between."""

    def right(given: Sequence[str]) -> bool:
        return {*given} <= {*choices} and len({*given}) == len(given)

    wanted = f"give some of {', '.join(choices)}, each once"
    _define(name, list(default), text, right, wanted)


def numbers(name: str, kind: type = int) -> list:
    """The numbers of a flag that `define_numbers` defined."""
    return [kind(x) for x in getattr(flags.FLAGS, name) if x]


def _define(
    name: str,
    default: list[str],
    text: str,
    right: Callable[[Sequence[str]], bool],
    wanted: str,
) -> None:
    flags.DEFINE_list(name, default, text)
    flags.register_validator(name, right, wanted)
