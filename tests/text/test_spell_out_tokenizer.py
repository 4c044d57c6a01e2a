import functools
import random

import keras
import numpy as np
import pytest
import tensorflow as tf
from oracles_text import (
    detokenize_with_re2,
    normalize,
    normalize_with_re2,
    random_texts,
    split,
    split_with_re2,
    tokenize,
    vocabulary,
)
from served_ops import ALLOWED, served_ops

from neural_gpu_tf.constants import EOS, GO, PAD, SPACE
from neural_gpu_tf.text import SpellOutTokenizer, Vocabulary

NAMES = ["empty", "tiny", "half", "pieces", "characters", "all"]


@functools.cache
def tokenizer(name):
    return SpellOutTokenizer(vocabulary(name))


def test_the_example_of_the_docstring():
    vocabulary = Vocabulary("H(zi", ["Hello", "world", ", "])
    tokenizer = SpellOutTokenizer(vocabulary)
    assert tokenizer.split("Hello, world (zigi zi)").numpy().tolist() == [
        *(b"Hello", b", ", b"world", b" (", b"zigi", b"zi", b")")
    ]
    symbols = tokenizer.tokenize("Hello, world (zigi zi)")
    assert [vocabulary.symbols[i] for i in symbols] == [
        *("Hello", ",▁", "world", "<space>", "(", "z", "i", "<0x67>", "i"),
        *("<space>", "z", "i", "<0x29>"),
    ]
    assert tokenizer.detokenize(symbols).numpy() == b"Hello, world (zigi zi)"


@pytest.mark.parametrize("name", NAMES)
def test_any_text_comes_back_and_its_symbols_are_those_of_the_oracle(name):
    texts = random_texts(4_000, 2)
    symbols = tokenizer(name).tokenize(texts)
    assert symbols.dtype == tf.int32
    for text, row in zip(texts, symbols.to_list(), strict=True):
        assert row == tokenize(text, vocabulary(name)), ascii(text)
    back = tokenizer(name).detokenize(symbols).numpy()
    for text, answer in zip(texts, back, strict=True):
        assert answer.decode() == normalize(text), ascii(text)
    padded = tokenizer(name).detokenize(symbols.to_tensor())
    assert padded.numpy().tolist() == list(back)
    assert tokenizer(name).normalize(texts).numpy().tolist() == list(back)


def test_splitting_is_that_of_python_and_that_of_re2():
    texts = random_texts(4_000, 3)
    pieces = tokenizer("empty").split(texts).to_list()
    assert pieces == split_with_re2(texts)
    for text, row in zip(texts, pieces, strict=True):
        assert [piece.decode() for piece in row] == split(text), ascii(text)


def test_every_character_comes_back():
    codes = [*range(0xD800), *range(0xE000, 0x40000), *range(0xE0000, 0xE1000)]
    codes += range(0x4000F, 0x110000, 16)  # few of those that mean nothing
    texts = [
        "".join(f"a{chr(c)} {chr(c)}b" for c in codes[start : start + 4_096])
        for start in range(0, len(codes), 4_096)
    ]
    back = tokenizer("half").detokenize(tokenizer("half").tokenize(texts)).numpy()
    assert (back == normalize_with_re2(texts).numpy()).all()


def test_bytes_that_are_not_utf8_become_replacement_characters():
    chance = random.Random(4)
    texts = [chance.randbytes(chance.randrange(8)) for _ in range(2_000)]
    texts += [b"a\xe2 \x82b", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xc0\x80"]
    back = tokenizer("tiny").detokenize(tokenizer("tiny").tokenize(texts)).numpy()
    assert back.tolist() == normalize_with_re2(texts).numpy().tolist()
    assert any(b"\xef\xbf\xbd" in text for text in back)


@pytest.mark.parametrize("name", NAMES)
def test_any_symbols_make_valid_normalized_text(name):
    chance = random.Random(5)
    size = len(vocabulary(name))
    rows = [
        [
            chance.randrange(size) if chance.random() < 0.6 else chance.choice(likely)
            for _ in range(chance.randrange(9))
        ]
        for likely in [[SPACE, PAD, GO, 4 + 10, 4 + 13, 4 + 32, 4 + 0xE2, 4 + 0x80]]
        for _ in range(3_000)
    ]
    ended = [row[: row.index(EOS)] if EOS in row else row for row in rows]
    answers = tokenizer(name).detokenize(tf.ragged.constant(rows, tf.int32)).numpy()
    assert answers.tolist() == detokenize_with_re2(ended, vocabulary(name))
    assert normalize_with_re2(answers).numpy().tolist() == answers.tolist()
    for answer in answers:
        answer.decode()


def test_detokenize_ends_at_eos_and_passes_over_pad_and_go():
    a, ab = 260, 262
    rows = [[GO, a, PAD, a, EOS, a], [EOS, a, EOS, a, a, a], [ab, GO, a, PAD, PAD, ab]]
    expected = [b"aa", b"", b"ab a ab"]
    for dtype in (tf.int32, tf.int64):
        answers = tokenizer("tiny").detokenize(tf.constant(rows, dtype))
        assert answers.numpy().tolist() == expected
    assert tokenizer("tiny").detokenize(rows[2]).numpy() == expected[2]
    assert tokenizer("tiny").detokenize(tf.zeros([2, 0], tf.int32)).shape == [2]


def test_shapes_are_those_of_a_tokenizer_of_tensorflow_text():
    tokenize, text = tokenizer("tiny").tokenize, "a ab"
    row = tokenize([text]).to_list()[0]
    assert tokenize(text).numpy().tolist() == row
    assert tokenize([[text, ""], ["", text]]).to_list() == [[row, []], [[], row]]
    ragged = tf.ragged.constant([[text], [], ["", text]])
    assert tokenize(ragged).to_list() == [[row], [], [[], row]]
    assert tokenize(tf.zeros([0], tf.string)).to_list() == []
    assert tokenizer("tiny").split([["a.b"]]).to_list() == [[[b"a", b".", b"b"]]]
    assert tokenize([text]).row_splits.dtype == tf.int64


def test_in_a_dataset_a_batch_or_one_text_at_a_time():
    texts = random_texts(64, 6)
    expected = tokenizer("half").tokenize(texts).to_list()
    dataset = tf.data.Dataset.from_tensor_slices(texts)
    alone = dataset.map(tokenizer("half").tokenize)
    assert [row.numpy().tolist() for row in alone] == expected
    batches = dataset.batch(10).map(tokenizer("half").tokenize)
    assert [row for batch in batches for row in batch.to_list()] == expected


def answer_in_session(path, texts):
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        loaded = tf.compat.v1.saved_model.load(session, ["serve"], str(path))
        signature = loaded.signature_def["serve"]
        fetch = {key: info.name for key, info in signature.outputs.items()}
        return session.run(fetch, {signature.inputs["texts"].name: texts})


def test_an_export_needs_nothing_but_tensorflow(tmp_path):
    tokenizer = SpellOutTokenizer(vocabulary("half"))

    def round_trip(texts):
        symbols = tokenizer.tokenize(texts)
        return {
            "symbols": symbols.to_tensor(),
            "texts": tokenizer.detokenize(symbols),
        }

    archive = keras.export.ExportArchive()
    archive.track(tokenizer)
    signature = [tf.TensorSpec([None], tf.string, name="texts")]
    archive.add_endpoint("serve", round_trip, signature)
    archive.write_out(str(tmp_path / "export"), verbose=False)
    assert served_ops(tmp_path / "export") <= ALLOWED  # none of tensorflow_text
    texts = [text for text in random_texts(200, 7) if "\0" not in text]
    result = answer_in_session(tmp_path / "export", texts)
    assert [x.decode() for x in result["texts"]] == [normalize(x) for x in texts]
    symbols = tokenizer.tokenize(texts).to_tensor().numpy()
    np.testing.assert_array_equal(result["symbols"], symbols)
