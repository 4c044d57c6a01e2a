import dataclasses

import numpy as np
import oracles_parsing
import pytest

from neural_gpu_tf.parsing import Tree, read_trees
from neural_gpu_tf.parsing.tree import CLOSE, OPEN, WORD

NP = Tree("NP", (Tree("DT", word="the"), Tree("NN", word="cat")))


def test_events_go_from_left_to_right():
    tree = Tree("S", (NP, Tree(".", word=".")))
    told = [(event, part.label) for event, part in tree.events()]
    assert told == [
        (OPEN, "S"),
        (OPEN, "NP"),
        (WORD, "DT"),
        (WORD, "NN"),
        (CLOSE, "NP"),
        (WORD, "."),
        (CLOSE, "S"),
    ]
    assert tree.words() == ["the", "cat", "."]


def test_is_written_on_one_line():
    assert str(Tree("S", (NP, Tree(".", word=".")))) == (
        "(S (NP (DT the) (NN cat)) (. .))"
    )
    assert str(Tree("", (NP,))) == "( (NP (DT the) (NN cat)))"
    assert str(Tree("")) == "()"


def test_brackets_within_words_are_written_as_the_treebank_does():
    assert str(Tree("SYM", word=":(")) == "(SYM :-LRB-)"
    assert str(Tree("SYM", word=")")) == "(SYM -RRB-)"


def test_what_is_written_can_be_read():
    rng = np.random.default_rng(0)
    trees = [
        oracles_parsing.random_tree(rng, oracles_parsing.random_words(rng, 9))
        for _ in range(100)
    ]
    assert list(read_trees(map(str, trees), "memory")) == trees


def test_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        NP.label = "VP"
    assert hash(NP) == hash(Tree("NP", NP.children))


def test_may_be_very_deep():
    tree = Tree("NN", word="x")
    for _ in range(5_000):
        tree = Tree("NP", (tree,))
    text = str(tree)
    assert text.count("(NP") == 5_000
    (again,) = read_trees([text], "memory")
    assert str(again) == text
    assert again == tree and hash(again) == hash(tree) and again != tree.children[0]


def test_trees_differ_by_words_labels_and_brackets():
    word = Tree("NN", word="x")
    trees = [
        word,
        Tree("NN", word="y"),
        Tree("NP", word="x"),
        Tree("NN"),
        Tree("NN", (word,)),
        Tree("NN", (word, word)),
        Tree("NN", (Tree("NN", (word,)), word)),
        Tree("NN", (word, Tree("NN", (word,)))),
    ]
    assert len({*trees}) == len(trees) and trees[0] != "(NN x)"
    assert all(
        (a == b) == (i == j) for i, a in enumerate(trees) for j, b in enumerate(trees)
    )
