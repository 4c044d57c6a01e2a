"""Sentences on canvases, and whether what was said of them are trees."""

import numpy as np
import oracles_parsing

from neural_gpu_tf.constants import EOS, PAD
from neural_gpu_tf.parsing import delinearize, read_symbols, spell_symbols, spell_words
from neural_gpu_tf.text import SpellOutTokenizer, Vocabulary

LABELS, TAGS = oracles_parsing.LABELS, oracles_parsing.TAGS
PIECES = ["cat", "_2a", "U_2eS_2e", "was"]


def vocabulary_of(labels, tags, characters="at_2e", pieces=PIECES):
    symbols = [f"{side}{label}" for side in "()" for label in labels]
    spelled = spell_symbols([*symbols, *tags]).split()
    return Vocabulary(list(characters), [*pieces, *spelled])


VOCABULARY = vocabulary_of(LABELS, TAGS)
TOKENIZER = SpellOutTokenizer(VOCABULARY)


def canvases(sentences, extra=0, least=0):
    """Sources of symbols and canvas sizes: of each source, but at least words + 3."""
    symbols = TOKENIZER.tokenize(list(map(spell_words, sentences)))
    size = np.maximum(symbols.row_lengths(), [len(words) + 3 for words in sentences])
    size = np.maximum(size + extra, least).astype(np.int32)
    return symbols.to_tensor(shape=[None, size.max()]).numpy(), size


def random_sentences(seed, count, most=9):
    rng = np.random.default_rng(seed)
    return [oracles_parsing.random_words(rng, most) for _ in range(count)]


def output(row, vocabulary=VOCABULARY):
    """The symbols that a row of a decoder's output says, without EOS."""
    row = [int(symbol) for symbol in row if symbol != PAD]
    assert row.index(EOS) == len(row) - 1
    return read_symbols(
        " ".join(vocabulary.symbols[symbol] for symbol in row[:-1]), "output"
    )


def check_trees(symbols, sentences, max_depth=64, max_opened=8):
    for row, words in zip(np.array(symbols), sentences, strict=True):
        said = output(row)
        tree = delinearize(said, words, "output")  # raises unless it is one
        assert tree.words() == words
        depth, opened = oracles_parsing.nesting(said)
        assert depth <= max_depth and opened <= max_opened
