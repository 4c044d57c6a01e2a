import dataclasses

import numpy as np
import pytest
import tensorflow as tf
import tiny

from neural_gpu_tf.constants import EOS, PAD
from neural_gpu_tf.evaluation import score_pairs
from neural_gpu_tf.inference import Translator
from neural_gpu_tf.options import DataConfig, ServingConfig
from neural_gpu_tf.serving.translator_signatures import NO_SCORE, TranslatorSignatures

LIMITS = ServingConfig(max_text_bytes=80, max_texts=9)
TEXTS = ["two thousand, five", "", "six", "Ü漢!", "two six five " * 4, "a" * 100]
CUT = [*TEXTS[:-1], "a" * 80]  # by bytes
LONG = [False] * 4 + [True] * 2


@pytest.fixture(scope="module")
def signatures():
    return TranslatorSignatures(tiny.translator(), LIMITS)


def test_n_best(signatures):
    config = dataclasses.replace(tiny.DECODING, beam=3, n_best=2, length_penalty=0.5)
    translator = Translator(tiny.model(), tiny.tokenizer(), config)
    answer = TranslatorSignatures(translator, LIMITS).translate_nbest(TEXTS)
    expected = translator.translate(CUT)
    assert answer["text"].shape == (6, 2)
    np.testing.assert_array_equal(answer["text"], expected["n_best_text"])
    score = np.maximum(expected["n_best_score"], NO_SCORE)
    assert np.isneginf(expected["n_best_score"][1, 1])  # nothing has one translation
    np.testing.assert_array_equal(answer["score"], score)
    served = TranslatorSignatures(translator, LIMITS).translate(tf.constant(TEXTS))
    np.testing.assert_array_equal(served["n_best_score"], score)
    for name in ("text", "log_probability", "size"):
        np.testing.assert_array_equal(answer[name][:, 0], expected[name])
    assert not np.array_equal(answer["score"], answer["log_probability"])
    assert answer["too_long"].numpy().tolist() == LONG


def test_one_best_is_the_translation(signatures):
    answer, best = signatures.translate_nbest(TEXTS), signatures.translate(TEXTS)
    assert set(best) == {"text", "log_probability", "size"}
    for name, values in best.items():
        np.testing.assert_array_equal(answer[name], values[:, None])


def test_scores_are_those_of_score_pairs(signatures):
    rng = np.random.default_rng(0)
    sources = ["", "", "six", *rng.choice(["two", "six five", "ant, two", "a"], 6)]
    targets = ["", "six", "", *rng.choice(["two", "a six", "Ü", "rest no"], 6)]
    answer = signatures.score(tf.constant(sources), tf.constant(targets))
    expected = score_pairs(
        tiny.model(), tiny.tokenizer(), sources, targets, DataConfig()
    )
    np.testing.assert_allclose(
        answer["log_probability"], [x.log_probability for x in expected], rtol=1e-5
    )
    assert answer["size"].numpy().tolist() == [x.size for x in expected]
    assert not np.any(answer["too_long"])


def test_scores_do_not_depend_on_the_packs(signatures):
    texts = tf.constant(["two six", "five", "a", "rest", "ant", "", "no", "one", "i"])
    config = dataclasses.replace(tiny.DECODING, decode_cells=1)  # one at a time
    translator = Translator(tiny.model(), tiny.tokenizer(), config)
    alone = TranslatorSignatures(translator, LIMITS).score(texts, texts[::-1])
    together = signatures.score(texts, texts[::-1])
    for name, values in together.items():
        np.testing.assert_allclose(alone[name], values, rtol=1e-5)


def test_long_pairs_are_cut_and_marked(signatures):
    # 9 symbols of a source are read, 17 and an EOS of a target: twice 9.
    long, short = tf.constant(["six " * 10]), tf.constant(["six"])
    cases = [
        ((long, short), ("six " * 9, "six"), 9),
        ((short, tf.constant(["six " * 18])), ("six", "six " * 17), 18),
        ((short, short), ("six", "six"), 2),
    ]
    for pair, cut, size in cases:
        answer = signatures.score(*pair)
        expected = signatures.score(*(tf.constant([text]) for text in cut))
        np.testing.assert_allclose(
            answer["log_probability"], expected["log_probability"], rtol=1e-6
        )
        assert answer["size"].numpy() == expected["size"].numpy() == [size]
        assert answer["too_long"].numpy() == [size > 2]
        assert expected["too_long"].numpy() == [False]


def test_the_canvases_of_pairs_are_work_too():
    limits = dataclasses.replace(LIMITS, max_request_columns=135)
    signatures = TranslatorSignatures(tiny.translator(), limits)
    source, fit, more = (tf.fill([9], text) for text in ("six", "a" * 14, "a" * 15))
    assert signatures.score(source, fit)["size"].numpy().tolist() == [15] * 9
    with pytest.raises(tf.errors.InvalidArgumentError, match="144 columns of"):
        signatures.score(source, more)


def test_pairs_must_be_pairs(signatures):
    score = tf.function(signatures.score, autograph=False)
    with pytest.raises(tf.errors.InvalidArgumentError, match="1 targets: not as many"):
        score(tf.constant(["a", "b"]), tf.constant(["a"]))


def test_symbols_and_back(signatures):
    answer = signatures.tokenize(tf.constant(TEXTS))
    rows = tiny.tokenizer().tokenize(CUT).to_list()
    assert answer["length"].numpy().tolist() == [len(row) for row in rows]
    assert answer["symbols"].shape == (6, max(map(len, rows)))
    for found, row in zip(answer["symbols"].numpy().tolist(), rows, strict=True):
        assert found == row + [PAD] * (len(found) - len(row))
    assert answer["too_long"].numpy().tolist() == LONG
    texts = signatures.detokenize(answer["symbols"])["text"].numpy()
    assert [text.decode() for text in texts] == [text.strip() for text in CUT]


def test_bad_bytes_and_back(signatures):
    """Each is read as a character of three bytes, and spelled in three symbols."""
    detokenize = tf.function(signatures.detokenize, autograph=False)
    symbols = signatures.tokenize(tf.constant([b"\xff" * 80]))["symbols"]
    assert symbols.shape == (1, 240)
    [text] = detokenize(symbols)["text"].numpy()
    assert text.decode() == "\ufffd" * 80


def test_symbols_behind_the_end_are_not_read(signatures):
    six = tiny.tokenizer().tokenize("six").numpy().tolist()
    texts = signatures.detokenize(tf.constant([[*six, EOS, *six]]))["text"]
    assert texts.numpy().tolist() == [b"six"]


@pytest.mark.parametrize(
    "symbols, message",
    [
        ([[5, 6], [7, 274]], r"symbol \[274\]: symbols are 0 to 273"),
        ([[-1]], r"symbol \[-1\]"),
        ([[5] * 241], "241 symbols: at most 240"),
        ([[5]] * 10, "10 texts: at most 9"),
    ],
)
def test_what_are_no_symbols(signatures, symbols, message):
    detokenize = tf.function(signatures.detokenize, autograph=False)
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        detokenize(tf.constant(symbols))
    last = len(tiny.vocabulary()) - 1
    assert last == 273 and detokenize(tf.constant([[0, last]]))["text"].shape == [1]


@pytest.mark.parametrize("name", ["translate", "translate_nbest", "tokenize", "score"])
def test_too_many_texts_are_an_error(signatures, name):
    function, inputs = signatures.endpoints()[name]
    texts = tf.fill([10], "a")
    with pytest.raises(tf.errors.InvalidArgumentError, match="10 texts: at most 9"):
        tf.function(function, autograph=False)(*[texts for _ in inputs])
