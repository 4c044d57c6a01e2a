import pytest

from neural_gpu_tf.percent import percent


@pytest.mark.parametrize(
    "share, places, text",
    [
        (1.0, 0, "100%"),
        (0.0, 1, "0.0%"),
        (0.5, 0, "50%"),
        (0.996, 0, "99.6%"),
        (0.9996, 1, "99.96%"),
        (0.0004, 0, "0.04%"),
        (0.99999, 2, "99.999%"),
        (2 / 3, 1, "66.7%"),
        (1 - 1e-16, 0, "99.99999999999999%"),
    ],
)
def test_only_all_is_100_and_only_none_is_0(share, places, text):
    assert percent(share, places) == text
