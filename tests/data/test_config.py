import pytest

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.options import DataConfig


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("data", "http", "files, tfds, numbers_and_dates"),
        ("max_length", 1, "max_length=1"),
        ("batch_cells", 0, "batch_cells=0"),
        ("bucket_growth", 1.0, "bucket_growth=1.0"),
        ("bucket_growth", float("nan"), "bucket_growth=nan"),
        ("bucket_growth", float("inf"), "bucket_growth=inf"),
        ("max_number", 10_000_000, "max_number=10000000"),
        ("shuffle_buffer", 0, "shuffle_buffer=0"),
        ("seed", -1, "seed=-1"),
        ("seed", 2**63, f"seed={2**63}: must be less than"),
    ],
)
def test_an_illegal_value_is_named(field, value, words):
    with pytest.raises(InputError) as error:
        DataConfig(**{field: value})
    assert words in str(error.value)
    assert "\n" not in str(error.value)
