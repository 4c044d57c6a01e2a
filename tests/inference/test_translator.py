import dataclasses

import numpy as np
import pytest
import tensorflow as tf
import tiny
from scripted import BySize, State

from neural_gpu_tf.constants import EOS
from neural_gpu_tf.decoding import n_best_search, size_search
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.inference import Translator
from neural_gpu_tf.options import DecodingConfig, SamplingConfig


def translate(*texts):
    answer = tiny.translator().translate(tf.constant(texts, tf.string))
    assert set(answer) == {"text", "log_probability", "size"}
    assert answer["text"].dtype == tf.string
    assert answer["log_probability"].dtype == tf.float32
    assert answer["size"].dtype == tf.int32
    assert all(values.shape == [len(texts)] for values in answer.values())
    return {name: values.numpy() for name, values in answer.items()}


@pytest.mark.parametrize(
    "beam, others",
    [(1, ["float16"]), pytest.param(2, ["float64"], marks=pytest.mark.slow)],
)
def test_keras_floatx_has_no_bearing(set_floatx, beam, others):
    config = dataclasses.replace(tiny.DECODING, beam=beam, length_penalty=0.6)

    def answers():
        new = Translator(tiny.model(), tiny.tokenizer(), config)
        return new.translate(tf.constant(["two thousand, five", "six"]))

    expected = answers()
    for floatx in others:
        set_floatx(floatx)
        for name, values in answers().items():
            assert values.dtype == expected[name].dtype
            np.testing.assert_array_equal(values, expected[name])


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


def test_gives_the_n_best_with_their_scores():
    config = DecodingConfig(beam=3, n_best=2, length_penalty=0.6, max_source_length=9)
    translator = Translator(tiny.model(), tiny.tokenizer(), config)
    texts = ["two thousand", "", "six"]
    answer = translator.translate(tf.constant(texts))
    source = tiny.tokenizer().tokenize(texts)
    decoded = n_best_search(
        tiny.model(), source.to_tensor(), source.row_lengths(), config
    )
    np.testing.assert_allclose(answer["n_best_score"], decoded.score, atol=1e-4)
    np.testing.assert_array_equal(answer["n_best_text"][:, 0], answer["text"])
    for rank in range(2):
        np.testing.assert_array_equal(
            answer["n_best_text"][:, rank],
            tiny.tokenizer().detokenize(decoded.symbols[:, rank]),
        )
    assert answer["n_best_text"].shape == answer["n_best_score"].shape == (3, 2)
    assert answer["n_best_score"].numpy()[1].tolist() == [0, -np.inf]


class InGraph(BySize):
    """Does not note what it is asked, so that it may be asked in a graph."""

    def start(self, source, size):
        return State(source, size)


def test_a_text_is_among_the_n_best_once_however_it_is_spelled():
    names = tiny.vocabulary().symbols
    two, six, *letters = map(names.index, ("two", "six", "t", "w", "o"))
    scripts = {
        2: [(two, 0.9), (EOS, 0.9)],
        3: [(six, 0.8), (EOS, 0.8)],
        4: [(symbol, 0.9) for symbol in (*letters, EOS)],
    }
    config = DecodingConfig(beam=3, n_best=3)
    translator = Translator(InGraph(scripts, len(names)), tiny.tokenizer(), config)
    answer = translator.n_best_batch(tf.constant(["six two", ""]))
    assert answer["text"].numpy().tolist() == [[b"two", b"six", b""], [b""] * 3]
    assert answer["size"].numpy().tolist() == [[2, 3, 0], [0, 0, 0]]
    ends = [[True, True, False], [True, False, False]]
    assert answer["finished"].numpy().tolist() == ends
    expected = [[*np.log([0.81, 0.64]), -np.inf], [0, -np.inf, -np.inf]]
    for name in ("score", "log_probability"):
        np.testing.assert_allclose(answer[name], expected, rtol=1e-4)


def test_what_is_drawn_depends_on_text_and_seed_alone():
    def drawn(seed, *batches):
        sampling = SamplingConfig(sample=True, temperature=1.5, sample_seed=seed)
        translator = Translator(tiny.model(), tiny.tokenizer(), tiny.DECODING, sampling)
        return [translator.translate(tf.constant(texts)) for texts in batches]

    texts = ["two thousand, five", "six two six", "", "five six", "two", "six two six"]
    together, backwards = drawn(0, texts, texts[::-1])
    (other,) = drawn(1, texts)
    assert together["text"].numpy().tolist() != other["text"].numpy().tolist()
    np.testing.assert_array_equal(together["size"], other["size"])  # greedy decoding's
    for name, values in together.items():
        values, others = values.numpy(), backwards[name].numpy()[::-1]
        if name == "log_probability":
            np.testing.assert_allclose(values, others, atol=1e-4)
        else:
            assert values.tolist() == others.tolist()


def test_the_numbers_to_draw_with_are_even_and_independent():
    translator = Translator(
        tiny.model(), tiny.tokenizer(), tiny.DECODING, SamplingConfig(sample=True)
    )
    texts = tf.strings.as_string(tf.range(500))
    uniform = translator._uniform(texts, 40).numpy()
    assert 0 < uniform.min() and uniform.max() < 1
    counts = np.bincount((uniform * 20).astype(int).ravel(), minlength=20)
    assert ((counts - 1000) ** 2 / 1000).sum() < 44  # chi square, 19 degrees: p = 0.001
    for a, b in ((uniform[:-1], uniform[1:]), (uniform[:, :-1], uniform[:, 1:])):
        assert abs(np.corrcoef(a.ravel(), b.ravel())[0, 1]) < 3.3 / np.sqrt(a.size)


def test_a_beam_wider_than_the_vocabulary_is_refused_at_once():
    choices = len(tiny.vocabulary()) - 2
    Translator(tiny.model(), tiny.tokenizer(), DecodingConfig(beam=choices))
    with pytest.raises(InputError, match=f"beam={choices + 1}: wider"):
        Translator(tiny.model(), tiny.tokenizer(), DecodingConfig(beam=choices + 1))
