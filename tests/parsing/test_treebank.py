"""On a real treebank: NEURAL_GPU_TREEBANK names a folder of .mrg or .mrg.gz files.

None comes with the project, as the Penn Treebank may not be passed on.
"""

import os
from pathlib import Path

import numpy as np
import pytest

from neural_gpu_tf.parsing import (
    BracketConstraint,
    clean,
    evalb,
    from_pairs,
    read_trees,
    to_pair,
)
from neural_gpu_tf.text import SpellOutTokenizer, Vocabulary, read_lines

FOLDER = os.environ.get("NEURAL_GPU_TREEBANK", "")
FILES = sorted(map(str, Path(FOLDER).glob("**/*.mrg*"))) if FOLDER else []

if not FILES:
    pytest.skip(
        "no treebank: set NEURAL_GPU_TREEBANK to a folder of .mrg files",
        allow_module_level=True,
    )


@pytest.fixture(scope="module")
def raw():
    return [tree for path in FILES for tree in read_trees(read_lines(path), path)]


@pytest.fixture(scope="module")
def cleaned(raw):
    return [clean(tree) for tree in raw]


def test_trees_are_cleaned(cleaned):
    for tree in cleaned:
        for _, part in tree.events():
            assert part.label and part.label != "-NONE-"
            assert part.word or not set("-=") & set(part.label)


def test_pairs_are_read_back(cleaned):
    sources, targets = zip(*map(to_pair, cleaned), strict=True)
    assert list(from_pairs(sources, targets, "memory")) == cleaned


def test_cleaning_changes_no_score(raw, cleaned):
    result = evalb(raw, cleaned)
    assert result.errors == result.skipped == 0
    assert result.f1 == result.tagging_accuracy == result.complete_match == 100


def test_the_constraint_allows_every_tree(cleaned):
    """On the smallest canvas, and with the words that the tokenizer spells."""
    pairs = [pair for pair in map(to_pair, cleaned) if len(pair[1].split()) < 150]
    assert len(pairs) > 0.95 * len(cleaned)
    sources, targets = zip(*pairs, strict=True)
    symbols = sorted({symbol for target in targets for symbol in target.split()})
    vocabulary = Vocabulary("aeinorst_2", ["the", "_2c", *symbols])
    number = {symbol: k for k, symbol in enumerate(vocabulary.symbols)}
    tokenized = SpellOutTokenizer(vocabulary).tokenize(sources)
    constraint = BracketConstraint(vocabulary.symbols)
    words = np.array([len(source.split()) for source in sources])
    counted = [
        int(constraint.count_words(tokenized[row : row + 1].to_tensor())[0])
        for row in range(0, len(pairs), 29)
    ]
    np.testing.assert_array_equal(counted, words[::29])
    lengths = np.array([len(target.split()) for target in targets])
    said = np.zeros((len(pairs), lengths.max() + 1), np.int32)
    for row, target in enumerate(targets):
        said[row, : lengths[row]] = [number[symbol] for symbol in target.split()]
        said[row, lengths[row]] = number["<eos>"]
    one_a_word = np.where(np.arange(words.max()) < words[:, None], number["the"], 0)
    state = constraint.start(one_a_word.astype(np.int32), lengths + 1)
    for t, now in enumerate(said.T):
        allowed = np.array(constraint.allowed(state, t))
        assert (allowed[range(len(pairs)), now] | (now == 0)).all()
        state = constraint.advance(state, now)
