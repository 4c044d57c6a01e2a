import numpy as np
import oracles_parsing
import pytest

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.parsing import (
    linearize,
    read_symbols,
    read_words,
    spell_symbols,
    spell_words,
)
from neural_gpu_tf.text import SpellOutTokenizer, Vocabulary


def test_words_and_symbols_as_the_module_says():
    assert spell_words(["cat", "U.S.", "n't", ","]) == "cat U_2eS_2e n_27t _2c"
    symbols = ["(NP", ")NP", "PRP$", ","]
    assert spell_symbols(symbols) == "open__NP close__NP tag__PRP_24 tag___2c"


def test_both_are_read_back():
    words = [*oracles_parsing.WORDS, "open__NP", "tag__NN", "_2c", "\x01", "\\"]
    assert read_words(spell_words(words), "memory:1") == words
    brackets = [f"{side}{label}" for side in "()" for label in oracles_parsing.LABELS]
    symbols = [*brackets, *oracles_parsing.TAGS, "open__", "_", "é"]
    assert read_symbols(spell_symbols(symbols), "memory:1") == symbols
    assert not set(spell_words(symbols).split()) & set(spell_symbols(symbols).split())


@pytest.mark.parametrize("text", ["a b.", "a b_2E", "a b_", "a _ff", "a é", "a __"])
def test_other_words_are_refused(text):
    with pytest.raises(InputError, match="words:3: .* not escaped"):
        read_words(text, "words:3")


@pytest.mark.parametrize(
    "text, fault",
    [
        ("open__S cat", "'cat' is neither bracket nor tag"),
        ("(S", "neither"),
        ("open__S tag__", "not escaped"),
        ("open__N.P", "not escaped"),
    ],
)
def test_other_symbols_are_refused(text, fault):
    with pytest.raises(InputError, match=f"out:3: .*{fault}"):
        read_symbols(text, "out:3")


def test_the_tokenizer_keeps_each_whole():
    """One piece a word, and nothing lost, whatever the vocabulary has."""
    rng = np.random.default_rng(2)
    lines = []
    for _ in range(50):
        words = oracles_parsing.random_words(rng, 9)
        tree = oracles_parsing.random_tree(rng, words)
        symbols = linearize(tree)
        lines += [(spell_words(words), len(words))]
        lines += [(spell_symbols(symbols), len(symbols))]
    texts, counts = zip(*lines, strict=True)
    for vocabulary in (Vocabulary(), Vocabulary("ca_2e", ["cat", "tag__NN", "_2a"])):
        tokenizer = SpellOutTokenizer(vocabulary)
        pieces = tokenizer.split(texts)
        np.testing.assert_array_equal(pieces.row_lengths(), counts)
        again = tokenizer.detokenize(tokenizer.tokenize(texts)).numpy()
        assert [text.decode() for text in again] == list(texts)
