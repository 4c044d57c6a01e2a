"""Frozen configuration dataclasses: validation, JSON, and nothing else.

Each concern has one frozen dataclass in `options/` (`ModelConfig`, `DataConfig`,
...). A field is declared with `option`, which keeps its help text; `bin/flags.py`
turns the fields into absl flags, so `--help` is the only list of defaults.
"""

import dataclasses
import numbers
import types
import typing
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from neural_gpu_tf.errors import InputError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Config = TypeVar("Config", bound="DataclassInstance")


RENAMED = {"clip_usual": "autoclip", "checkpointing": "gradient_checkpointing"}
"""Keys of older files, and those that stand for them now."""

OLDER = {"padding": "learned"}
"""Values of options that older files lack, where they are not today's defaults."""

_KINDS = {
    int: (numbers.Integral, "a whole number"),
    float: (numbers.Real, "a number"),
    str: (str, "text"),
}
"""What an option of a type may be, with Python's numbers or NumPy's."""


def option(default: Any, help: str, choices: Sequence[str] = ()) -> Any:
    """A dataclass field with a default, a help text and, maybe, legal values."""
    return dataclasses.field(
        default=default, metadata={"help": help, "choices": tuple(choices)}
    )


def _name_now(name: str, known: Mapping[str, Any]) -> str:
    """The key that stands for a key of an older file."""
    new = RENAMED.get(name, name)
    return new if name not in known and new in known else name


def check_choice(name: str, value: str, legal: Sequence[str]) -> None:
    """Raises InputError, naming the legal values, unless `value` is one of them."""
    if value not in legal:
        raise InputError(
            f"{name}={value}: not a legal value; choose one of "
            f"{', '.join(filter(None, legal))}"
        )


def check_at_least(name: str, value: float, least: float) -> None:
    """Raises InputError if `value` is less than `least` (or not a number)."""
    if not isinstance(value, numbers.Real):
        raise InputError(f"{name}={value!r}: must be a number")
    if not value >= least:
        raise InputError(f"{name}={value}: must be at least {least}")


def check_seed(name: str, value: int, bits: int = 63) -> None:
    """Raises InputError unless `value` is a seed of so many bits."""
    check_at_least(name, value, 0)
    if value >= 2**bits:
        raise InputError(f"{name}={value}: must be less than {2**bits}")


def plain(value: Any) -> Any:
    """Python's number or string for one of NumPy's; anything else as it is."""
    scalar = isinstance(value, numbers.Number | str) and hasattr(value, "item")
    return value.item() if scalar else value


def whole_number(name: str, value: Any, least: int) -> int:
    """The value as an int; InputError unless it is one and at least `least`."""
    whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if not whole:
        raise InputError(f"{name}={value!r}: must be a whole number")
    check_at_least(name, value, least)
    return int(value)


def true_or_false(name: str, value: Any) -> bool:
    """The value; InputError unless it is a bool: "no" and "false" would count as true.

    0 and 1 are taken, as are NumPy's.
    """
    if isinstance(value, str) or value not in (True, False):
        raise InputError(f"{name}={value!r}: must be True or False")
    return bool(value)


def check_keys(where: str, given: Iterable[str], legal: Collection[str]) -> None:
    """Raises InputError, naming the legal keys, if one that is given is none."""
    if unknown := sorted(set(given) - set(legal)):
        raise InputError(
            f"{where}: unknown key {unknown[0]!r}; legal keys are "
            f"{', '.join(sorted(legal)) or 'none'}"
        )


def check_options(config: Any) -> None:
    """Checks the type of every field of a dataclass, and its choice if it has any.

    A number of NumPy becomes Python's, so that it can be written as JSON; 0 or 1
    becomes False or True where these are due.

    Raises:
        InputError: a value is of another type, or none of `choices`.
    """
    hints = typing.get_type_hints(type(config))
    for field in dataclasses.fields(config):
        value, kind = getattr(config, field.name), hints[field.name]
        taken, described = _KINDS.get(kind, (object, ""))
        no_number = kind in (int, float) and isinstance(value, bool)
        if no_number or not isinstance(value, taken):
            raise InputError(f"{field.name}={value!r}: must be {described}")
        own = true_or_false(field.name, value) if kind is bool else plain(value)
        if own is not value:
            object.__setattr__(config, field.name, own)  # it is frozen
        choices = field.metadata.get("choices")
        if choices:
            check_choice(field.name, value, choices)


def from_dict(cls: type[Config], values: Mapping[str, Any], where: str) -> Config:
    """Builds a dataclass from JSON-like values; nested dataclasses too.

    Args:
        cls: the dataclass.
        values: field name to value.
        where: the file (and key) that the values come from, for messages.

    Raises:
        InputError: an unknown key (the message names the legal ones), a missing one,
            or a value of the wrong type.
    """
    if not isinstance(values, Mapping):
        raise InputError(f"{where}: {values!r} where an object of options must stand")
    hints = typing.get_type_hints(cls)
    values = {_name_now(name, hints): value for name, value in values.items()}
    values = {k: v for k, v in OLDER.items() if k in hints} | values
    check_keys(where, values, hints)
    arguments = {}
    for name, value in values.items():
        kind = hints[name]
        if dataclasses.is_dataclass(kind) and isinstance(kind, type):
            value = from_dict(kind, value, f"{where}: {name}")
        elif isinstance(kind, types.GenericAlias) and isinstance(value, list):
            value = tuple(value)
        elif kind is float and type(value) is int:
            value = float(value)
        elif kind in (int, float, str, bool) and type(value) is not kind:
            raise InputError(
                f"{where}: {name} is {value!r}; it must be of type {kind.__name__}"
            )
        arguments[name] = value
    for field in dataclasses.fields(cls):
        if field.default is dataclasses.MISSING and field.name not in arguments:
            raise InputError(f"{where}: no {field.name!r}; restore the file")
    return cls(**arguments)
