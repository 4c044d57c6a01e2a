import numpy as np
import pytest
import tensorflow as tf
import tiny

from neural_gpu_tf.decoding import DecodingConfig, size_search
from neural_gpu_tf.serving import Translator


def translate(*texts):
    answer = tiny.translator().translate(tf.constant(texts, tf.string))
    assert set(answer) == {"text", "log_probability", "size"}
    assert answer["text"].dtype == tf.string
    assert answer["log_probability"].dtype == tf.float32
    assert answer["size"].dtype == tf.int32
    assert all(values.shape == [len(texts)] for values in answer.values())
    return {name: values.numpy() for name, values in answer.items()}


def test_translates_text_by_way_of_symbols():
    answer = translate("two thousand, five", "six")
    source = np.array(
        tiny.tokenizer().tokenize(["two thousand, five", "six"]).to_tensor()
    )
    decoded = size_search(tiny.model(), source, np.array([4, 1]), tiny.DECODING)
    np.testing.assert_array_equal(
        answer["text"], tiny.tokenizer().detokenize(decoded.symbols)
    )
    np.testing.assert_array_equal(answer["size"], decoded.size)
    np.testing.assert_allclose(
        answer["log_probability"], decoded.log_probability, atol=1e-5
    )
    assert 4 <= answer["size"][0] <= 8 and 1 <= answer["size"][1] <= 2
    assert answer["text"][0] and answer["text"][0] != answer["text"][1]


@pytest.mark.parametrize("texts", [[], [""], ["", " \t", ""]])
def test_nothing_gives_nothing(texts):
    answer = translate(*texts)
    assert answer["text"].tolist() == [b""] * len(texts)
    assert answer["size"].tolist() == [0] * len(texts)
    assert answer["log_probability"].tolist() == [0.0] * len(texts)


def test_the_end_of_a_long_text_is_cut():
    words = ["two", "six", "five"] * 4
    whole, nine = " ".join(words), " ".join(words[:9])
    answer = translate(whole, nine, "six")
    assert answer["text"][0] == answer["text"][1]
    assert answer["size"][0] == answer["size"][1]
    too_long = tiny.translator().too_long(tf.constant([whole, nine, ""]))
    assert too_long.numpy().tolist() == [True, False, False]


def test_a_translation_does_not_depend_on_the_batch():
    texts = [
        "two",
        "",
        "two thousand, five",
        "!\udcff".encode(errors="surrogateescape"),
    ]
    together = translate(*texts)
    for i, text in enumerate(texts):
        alone = translate(text)
        assert together["text"][i] == alone["text"][0]
        assert together["size"][i] == alone["size"][0]
        np.testing.assert_allclose(
            together["log_probability"][i], alone["log_probability"][0], atol=1e-5
        )


def test_follows_the_decoding_options():
    config = DecodingConfig(size_margin=3, sizes="2", max_size_ratio=1)
    translator = Translator(tiny.model(), tiny.tokenizer(), config)
    sizes = {int(translator.translate([text])["size"][0]) for text in ("six", "two")}
    assert sizes <= {1, 4}
