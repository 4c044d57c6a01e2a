import keras
import numpy as np
import oracles_parsing
import pytest
from bracket_cases import VOCABULARY, canvases, random_sentences, vocabulary_of

from neural_gpu_tf.constants import EOS, GO, PAD
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.parsing import (
    BracketConstraint,
    linearize,
    spell_symbols,
    spell_words,
)
from neural_gpu_tf.parsing.bracket_constraint import FIRST_BYTE, FIRST_CHARACTER
from neural_gpu_tf.text import SpellOutTokenizer, Vocabulary
from neural_gpu_tf.text import vocabulary as vocabulary_module


def test_symbols_have_the_numbers_of_the_vocabulary():
    assert FIRST_BYTE == vocabulary_module.FIRST_BYTE
    assert len(vocabulary_module.RESERVED) == FIRST_CHARACTER


@pytest.mark.parametrize(
    "vocabulary",
    [
        VOCABULARY,
        vocabulary_of(["S"], ["NN"], "", []),  # spells all in bytes
        vocabulary_of(["S"], ["NN"], "acIUSn_e27", ["U_2eS_2e", "n_27t", "_2a"]),
    ],
)
def test_words_are_counted_however_they_are_spelled(vocabulary):
    sentences = random_sentences(0, 200) + [["a"], ["I", "a", "I"], ["été", "*"]]
    symbols = SpellOutTokenizer(vocabulary).tokenize(list(map(spell_words, sentences)))
    source = np.pad(symbols.to_tensor().numpy(), [[0, 0], [0, 2]])
    counted = BracketConstraint(vocabulary.symbols).count_words(source)
    np.testing.assert_array_equal(counted, [len(words) for words in sentences])
    assert (
        np.array(BracketConstraint(vocabulary.symbols).count_words(source * 0)).max()
        == 0
    )


@pytest.mark.parametrize(
    "words, size, max_depth, max_opened",
    [
        (1, 8, 8, 8),
        (1, 9, 8, 8),
        (2, 12, 8, 8),
        (3, 10, 8, 8),
        (2, 11, 2, 8),
        (2, 13, 8, 2),
    ],
)
def test_allows_all_trees_and_nothing_else(words, size, max_depth, max_opened):
    """At every prefix of every tree that fits, just what some tree goes on with.

    A tree takes words + 2 constituents + 1 columns: sizes that are even and odd, so
    that some canvases are just filled and some have a column too many.
    """
    labels, tags = ("A", "B"), ("x", "y")
    vocabulary = vocabulary_of(labels, tags)
    constraint = BracketConstraint(vocabulary.symbols, max_depth, max_opened)
    sequences = set()
    for sequence in oracles_parsing.all_sequences(labels, tags, words, size // 2):
        depth, opened = oracles_parsing.nesting(sequence)
        if len(sequence) < size and depth <= max_depth and opened <= max_opened:
            sequences.add(sequence)
    follow = oracles_parsing.next_symbols(sequences)
    assert len(follow) > 50
    number = {
        symbol: vocabulary.symbols.index(spell_symbols([symbol]))
        for symbol in ("(A", "(B", ")A", ")B", "x", "y")
    } | {None: EOS}
    by_length = {}
    for prefix in follow:
        by_length.setdefault(len(prefix), []).append(prefix)
    for t, prefixes in by_length.items():
        source = np.full((len(prefixes), 4), vocabulary.piece_ids[0]) * (
            np.arange(4) < words
        )
        state = constraint.start(source.astype(np.int32), np.full(len(prefixes), size))
        state = constraint.advance(state, np.full(len(prefixes), GO, np.int32))
        for column in range(t):
            said = [number[prefix[column]] for prefix in prefixes]
            state = constraint.advance(state, np.array(said, np.int32))
        allowed = np.array(constraint.allowed(state, t))
        for row, prefix in zip(allowed, prefixes, strict=True):
            expected = {number[symbol] for symbol in follow[prefix]}
            assert set(np.flatnonzero(row)) == expected, prefix


def test_allows_every_tree_of_a_canvas_that_just_holds_it():
    rng = np.random.default_rng(1)
    constraint = BracketConstraint(VOCABULARY.symbols, max_opened=20)
    sentences = random_sentences(2, 50)
    linear = [linearize(oracles_parsing.random_tree(rng, some)) for some in sentences]
    size = np.array([len(said) + 1 for said in linear])
    symbols = np.full((50, size.max()), PAD, np.int32)
    for row, said in enumerate(linear):
        texts = [*spell_symbols(said).split(), "<eos>"]
        symbols[row, : len(texts)] = list(map(VOCABULARY.symbols.index, texts))
    source, _ = canvases(sentences)
    state = constraint.start(source, size)
    for t, now in enumerate(symbols.T):
        allowed = np.array(constraint.allowed(state, t))
        assert (allowed[range(50), now] | (now == PAD)).all()
        state = constraint.advance(state, now)


def test_the_state_leads_with_the_batch_and_keeps_its_shapes():
    constraint = BracketConstraint(VOCABULARY.symbols)
    source, size = canvases(random_sentences(6, 3))
    state = constraint.start(source, size)
    after = constraint.advance(state, np.array([3, 4, 5], np.int32))
    for one, other in zip(*map(keras.tree.flatten, (state, after)), strict=True):
        assert one.shape == other.shape and one.shape[0] == 3
        assert one.dtype == other.dtype


def test_a_bracket_without_its_closing_is_not_allowed():
    pieces = ["open__S", "open__NP", "close__S", "close__VP", "tag__NN"]
    vocabulary = Vocabulary("", pieces)
    constraint = BracketConstraint(vocabulary.symbols)
    state = constraint.start(np.array([[264, 264]]), np.array([20]))
    allowed = np.flatnonzero(np.array(constraint.allowed(state, 0))[0])
    assert [vocabulary.symbols[symbol] for symbol in allowed] == ["open__S"]


@pytest.mark.parametrize("pieces", [["cat"], ["open__S", "close__S"], ["tag__NN"]])
def test_a_vocabulary_without_trees_is_refused(pieces):
    with pytest.raises(InputError, match="no brackets or no tags"):
        BracketConstraint(Vocabulary("", pieces).symbols)
