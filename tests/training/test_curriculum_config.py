import math

import pytest

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.options import CurriculumConfig, parse_bits


@pytest.mark.parametrize(
    "options, message",
    [
        ({"task": "cube"}, "task=cube"),
        ({"least_bits": 0}, "least_bits=0"),
        ({"least_bits": 5, "most_bits": 4}, "most_bits=4: less than least_bits=5"),
        ({"curriculum_dropout": 1.0}, "curriculum_dropout=1.0"),
        ({"blank_columns": -0.5}, "blank_columns=-0.5"),
        ({"blank_columns": 1e9}, "blank_columns=1000000000.0: must be at most 1000"),
        ({"spare_columns": float("inf")}, "spare_columns=inf: must be at most 1000"),
        ({"evaluation_blank_columns": 1001}, "evaluation_blank_columns=1001: must be"),
        ({"evaluation_blank_columns": -0.5}, "evaluation_blank_columns=-0.5"),
        ({"spare_columns": -0.5}, "spare_columns=-0.5"),
        ({"evaluation_blank_columns": math.nan}, "evaluation_blank_columns=nan"),
        ({"current_share": 0.9}, "current_share=0.9"),
        ({"current_share": -0.1}, r"current_share=-0.1: must be in \[0, 1\]"),
        ({"shorter_share": math.nan}, "shorter_share=nan: must be in"),
        ({"threshold": 80.0}, "threshold=80.0: must be in"),
        ({"threshold": math.nan}, "threshold=nan: must be in"),
        ({"dropout_threshold": 1.5}, "dropout_threshold=1.5: must be in"),
        ({"give_up_error": -0.5}, "give_up_error=-0.5: must be in"),
        ({"validation_bits": "20,x"}, "validation_bits=20,x"),
        ({"validation_cases": 1}, "validation_cases=1"),
        (
            {"curriculum": False, "doublings": 9000},
            "task_batch_size=32: cannot be quartered doublings=9000 times",
        ),
    ],
)
def test_a_wrong_option_is_named(options, message):
    with pytest.raises(InputError, match=message):
        CurriculumConfig(**options)


def test_parse_bits():
    assert parse_bits("bits", "20, 25,2000") == [20, 25, 2000]
    for text in ("", "1,,2", "-1", "0", "1.5", "3000000000"):
        with pytest.raises(InputError, match="^bits="):
            parse_bits("bits", text)
