import random

import pytest
import tensorflow as tf

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.options import ServingConfig
from neural_gpu_tf.serving.limits import check_texts, check_work, cut_texts, legal_texts

LIMITS = ServingConfig(max_text_bytes=7, max_texts=400)


@tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
def cut(text):
    return cut_texts(text, LIMITS)


def expected(text):
    """The first 7 bytes without a character that goes on behind them."""
    try:
        text[:7].decode()
        return text[:7]
    except UnicodeDecodeError as error:
        return text[: error.start]


def test_texts_are_cut_between_characters():
    rng = random.Random(0)
    texts = [
        "".join(rng.choices("a é漢😀", k=rng.randrange(8))).encode() for _ in range(300)
    ]
    answer = cut(texts)
    assert answer.text.numpy().tolist() == [expected(text) for text in texts]
    assert answer.cut.numpy().tolist() == [len(text) > 7 for text in texts]
    assert {len(text) for text in answer.text.numpy()} == set(range(8))


@pytest.mark.parametrize("byte", [b"\x80", b"\xff", b"\xf0", b"\0"])
def test_bytes_that_are_no_text_are_cut_too(byte):
    text, was_cut = (x.numpy().tolist() for x in cut([byte * 9, byte * 7]))
    assert text == [byte * 7, byte * 7] and was_cut == [True, False]


def test_no_texts_at_all():
    assert cut(tf.zeros([0], tf.string)).text.shape == [0]


@pytest.mark.parametrize("limit", [cut_texts, check_texts])
def test_too_many_texts_are_an_error(limit):
    traced = tf.function(lambda text: limit(text, LIMITS))
    traced(tf.fill([400], "a"))
    with pytest.raises(tf.errors.InvalidArgumentError) as error:
        traced(tf.fill([401], "a"))
    assert "401 texts: at most 400 a request" in str(error.value)


def test_limits_must_be_positive():
    with pytest.raises(InputError, match="max_texts=0: must be at least 1"):
        ServingConfig(max_texts=0)
    with pytest.raises(InputError, match="max_text_bytes=3: must be at least 4"):
        ServingConfig(max_text_bytes=3)
    for name, most in (("max_texts", 2**31 - 1), ("max_text_bytes", 2**31 // 3)):
        ServingConfig(**{name: most})
        with pytest.raises(InputError, match=f"{name}={most + 1}: must be at most"):
            ServingConfig(**{name: most + 1})


def test_samples_within_the_limits():
    limits = ServingConfig(max_text_bytes=4, max_texts=2)
    assert legal_texts(["éé", "ééa", "", "a"], limits) == ["éé", ""]


def test_the_sum_of_the_work_is_one_of_large_numbers():
    columns = tf.fill([4], 2**30)  # their sum is beyond int32
    with pytest.raises(tf.errors.InvalidArgumentError, match="4294967296 columns"):
        check_work(tf.zeros([]), columns, ServingConfig())
