"""Flags from configuration dataclasses, and back."""

import dataclasses
import typing
from collections.abc import Callable, Iterable
from typing import Any

from absl import flags

from neural_gpu_tf.configuration import Config
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.options import (
    CurriculumConfig,
    DataConfig,
    DecodingConfig,
    ModelConfig,
    SamplingConfig,
    ServingConfig,
    TrainingConfig,
    VocabularyConfig,
)
from neural_gpu_tf.options.model import FAMILIES

SECTIONS: dict[type, str] = {
    CurriculumConfig: "task and curriculum",
    DataConfig: "data",
    DecodingConfig: "decoding",
    ModelConfig: "model",
    SamplingConfig: "sampling",
    ServingConfig: "limits of an export",
    TrainingConfig: "training",
    VocabularyConfig: "vocabulary",
    **{family: f"model={'|'.join(family.models)}" for family in FAMILIES},
}
"""Where `--help` shows the flags of a dataclass."""


def define(cls: type) -> None:
    """Defines one absl flag for each field of a configuration dataclass.

    `--help` shows a field in the section of the class that declares it.
    """
    hints = typing.get_type_hints(cls)
    for owner in cls.__mro__:
        for field in dataclasses.fields(cls):
            if owner in SECTIONS and field.name in owner.__annotations__:
                _define(field, hints[field.name], SECTIONS[owner])


def _define(field: dataclasses.Field, kind: type, section: str) -> None:
    help, choices = field.metadata["help"], field.metadata["choices"]
    if choices:
        flags.DEFINE_enum(field.name, field.default, choices, help, module_name=section)
        return
    kinds: dict[type, Callable] = {
        bool: flags.DEFINE_bool,
        int: flags.DEFINE_integer,
        float: flags.DEFINE_float,
    }
    define = kinds.get(kind, flags.DEFINE_string)
    define(field.name, field.default, help, module_name=section)


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


def of_the_best() -> dict[str, Any]:
    """The decoding options given, for what takes the best output of each source."""
    refuse({"n_best"}, "the best output alone is taken here; leave it out")
    return given(DecodingConfig) | {"n_best": 1}


def names(*concerns: type) -> set[str]:
    """The names of the flags of these dataclasses."""
    return {field.name for cls in concerns for field in dataclasses.fields(cls)}


def refuse(which: Iterable[str], reason: str) -> None:
    """Raises InputError if one of these flags is given, where it would do nothing.

    Args:
        which: names of flags.
        reason: why it is of no use, and what to do.
    """
    for name in sorted(which):
        if flags.FLAGS[name].present:
            raise InputError(f"--{name}: {reason}")
