"""Every class of options refuses values of another type, and takes those of its own."""

import dataclasses
import json
import typing

import numpy as np
import pytest

from neural_gpu_tf import options
from neural_gpu_tf.errors import InputError

CLASSES = [
    options.CurriculumConfig,
    options.DataConfig,
    options.DecodingConfig,
    options.ModelConfig,
    options.SamplingConfig,
    options.ServingConfig,
    options.TrainingConfig,
    options.VocabularyConfig,
]
WRONG = {int: ("4", 2.5, True), float: ("0.5", False), str: (4,), bool: (2, "true")}
CASES = [
    (cls, field.name, value)
    for cls in CLASSES
    for field in dataclasses.fields(cls)
    for value in WRONG[typing.get_type_hints(cls)[field.name]]
]


@pytest.mark.parametrize("cls, name, value", CASES)
def test_a_value_of_another_type_is_refused(cls, name, value):
    with pytest.raises(InputError, match=f"^{name}={value!r}: must be "):
        cls(**{name: value})


@pytest.mark.parametrize("cls", CLASSES)
def test_numbers_of_numpy_are_numbers(cls):
    given = dataclasses.asdict(cls())
    kinds = {int: np.int64, float: np.float64}
    converted = {name: kinds.get(type(x), type(x))(x) for name, x in given.items()}
    assert json.dumps(dataclasses.asdict(cls(**converted))) == json.dumps(given)


def test_0_and_1_are_false_and_true():
    for value in (0, 1, np.bool_(False), np.bool_(True)):
        sample = options.SamplingConfig(sample=value).sample
        assert sample is bool(value)


def test_a_whole_number_is_a_number():
    assert options.DecodingConfig(length_penalty=1).length_penalty == 1
