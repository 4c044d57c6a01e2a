"""Flags from configuration dataclasses, and back."""

import dataclasses
import typing
from typing import Any

from absl import flags

from neural_gpu_tf.configuration import Config


def define(cls: type) -> None:
    """Defines one absl flag for each field of a configuration dataclass."""
    hints = typing.get_type_hints(cls)
    for field in dataclasses.fields(cls):
        help = field.metadata["help"]
        choices = field.metadata["choices"]
        kind = hints[field.name]
        if choices:
            flags.DEFINE_enum(field.name, field.default, choices, help)
        elif kind is bool:
            flags.DEFINE_bool(field.name, field.default, help)
        elif kind is int:
            flags.DEFINE_integer(field.name, field.default, help)
        elif kind is float:
            flags.DEFINE_float(field.name, field.default, help)
        else:
            flags.DEFINE_string(field.name, field.default, help)


def read(cls: type[Config], base: Config | None = None) -> Config:
    """The dataclass with the values of the flags.

    Args:
        base: gives the values of flags that are not given; their defaults if None.
    """
    if base is not None:
        return dataclasses.replace(base, **given(cls))
    return cls(
        **{f.name: getattr(flags.FLAGS, f.name) for f in dataclasses.fields(cls)}
    )


def given(cls: type) -> dict[str, Any]:
    """The fields of a dataclass whose flags stand on the command line or in a file."""
    return {
        field.name: getattr(flags.FLAGS, field.name)
        for field in dataclasses.fields(cls)
        if flags.FLAGS[field.name].present
    }
