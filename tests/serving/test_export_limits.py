"""What an export refuses, or cuts off, and where it says so."""

import dataclasses

import numpy as np
import pytest
import tensorflow as tf
import tiny

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.options import ServingConfig
from neural_gpu_tf.serving import ExportedTranslator, export
from neural_gpu_tf.serving.metadata import read_metadata
from neural_gpu_tf.serving.translator_signatures import TranslatorSignatures

NARROW = ServingConfig(max_text_bytes=10, max_texts=3, max_request_columns=269)


@pytest.fixture(scope="module")
def limited(tmp_path_factory):
    """An export with narrow limits, and fewer signatures, so that it is quick."""
    folder, every = tmp_path_factory.mktemp("limited"), TranslatorSignatures.endpoints
    names = ("serving_default", "translate_nbest", "too_long")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            *(TranslatorSignatures, "endpoints"),
            lambda self: {name: every(self)[name] for name in names},
        )
        return export(tiny.translator(), folder, limits=NARROW)


@pytest.fixture(scope="module")
def signatures(limited):
    return tf.saved_model.load(str(limited)).signatures


@pytest.fixture(scope="module")
def translator(limited):
    return ExportedTranslator(limited)


def same(answer, expected):
    assert answer.keys() == expected.keys()
    for name, values in expected.items():
        if values.dtype == tf.float32:
            np.testing.assert_allclose(answer[name], values, rtol=1e-5, atol=1e-5)
        else:
            np.testing.assert_array_equal(answer[name], values)


def test_what_is_beyond_the_limits(signatures, translator):
    texts = tf.constant(["two six five", "two six f", "", "six"])
    cut = tf.constant(["two six fi", "two six f", "", "six"])
    translate = signatures["serving_default"]
    with pytest.raises(tf.errors.InvalidArgumentError, match="4 texts: at most 3"):
        translate(text=texts)
    same(translate(text=texts[:3]), tiny.translator().translate(cut[:3]))
    assert translator.too_long(texts).numpy().tolist() == [True, False, False, False]
    expected = tiny.translator().translate(cut)
    same(translator.translate(texts), expected)


@pytest.mark.parametrize("texts", [[["six"]], [["two", "six"]], [["two"], ["six"]], ""])
def test_texts_of_other_axes_are_refused(signatures, texts):
    """TensorFlow itself does not look at the shape of what a signature is fed."""
    for name in ("serving_default", "translate_nbest", "too_long"):
        with pytest.raises(tf.errors.InvalidArgumentError, match="Shape of tensor"):
            signatures[name](text=tf.constant(texts))


def test_work_beyond_the_limit(signatures, translator, tmp_path):
    """A source of 9 symbols is tried on canvases of 9 to 18 columns, 135 in all."""
    with pytest.raises(InputError, match="=134: the longest source alone takes 135; "):
        export(tiny.translator(), tmp_path, 1, ServingConfig(max_request_columns=134))
    message = "270 columns of canvases: at most 269 a request; send fewer texts"
    for name in ("serving_default", "translate_nbest"):
        with pytest.raises(tf.errors.InvalidArgumentError, match=message):
            signatures[name](text=tf.constant(["a" * 9, "a" * 99]))
        assert signatures[name](text=tf.constant(["a" * 9, "a" * 8]))["size"].shape[0]
    both = translator.translate(tf.constant(["a" * 9] * 2))
    assert both["text"].shape == [2]  # it asks twice


def test_it_describes_itself(exported, limited):
    assert read_metadata(limited)["limits"] == dataclasses.asdict(NARROW)
    content = read_metadata(exported)
    assert content["limits"] == dataclasses.asdict(ServingConfig())
    assert content["longest_source_columns"] == sum(range(9, 19))
    assert content["decoding"] == dataclasses.asdict(tiny.DECODING)
    assert content["vocabulary_size"] == len(tiny.vocabulary())
    assert content["versions"]["tensorflow"] == tf.__version__
    text = {"text": {"dtype": "string", "shape": [None]}}
    translate = content["signatures"]["translate"]
    assert translate == content["signatures"]["serving_default"]
    assert translate["inputs"] == text and translate["doc"].startswith("Translates")
    assert translate["outputs"] == text | {
        "log_probability": {"dtype": "float32", "shape": [None]},
        "size": {"dtype": "int32", "shape": [None]},
    }
    assert all(x["doc"] for x in content["signatures"].values())
