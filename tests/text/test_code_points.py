import numpy as np
import tensorflow as tf

from neural_gpu_tf.text.code_points import (
    MARK,
    WHITE,
    WHITE_CLASS,
    WORD,
    WORD_CLASS,
    CodePointTable,
    code_point_kinds,
)


def test_the_kinds_are_what_the_regular_expressions_say_of_each_character():
    rng = np.random.default_rng(0)
    valid = np.r_[0:0xD800, 0xE000:0x110000].astype(np.int32)
    codes = np.r_[valid[:0x3100], rng.choice(valid[0x3100:], 40_000, replace=False)]
    texts = tf.strings.unicode_encode(codes[:, None], "UTF-8")
    word = tf.strings.regex_full_match(texts, WORD_CLASS).numpy()
    white = tf.strings.regex_full_match(texts, WHITE_CLASS).numpy()
    assert 10 < white.sum() < word.sum()
    expected = np.select([word, white], [WORD, WHITE], MARK)
    np.testing.assert_array_equal(code_point_kinds()(codes), expected)


def test_no_kind_for_halves_of_characters():
    surrogates = tf.range(0xD800, 0xE000)
    assert set(code_point_kinds()(surrogates).numpy()) == {MARK}


def test_a_table_gives_the_values_back_and_keeps_equal_pages_once():
    values = np.zeros(0x110000, np.int32)
    values[[0, 255, 256, 70_000, 0x10FFFF]] = [1, 2, 3, 1, 5]
    table = CodePointTable(values)
    np.testing.assert_array_equal(table(tf.range(0x110000)), values)
    assert len(table._values) == 5 * 256  # four pages with something, and all others
