import numpy as np
import oracles_parsing
import pytest

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.parsing import (
    Tree,
    from_pairs,
    is_tree,
    read_trees,
    to_pair,
    write_lines,
)


def test_a_pair_is_words_and_symbols():
    (tree,) = read_trees(["(S (NP (PRP He)) (VP (VBZ runs)) (. .))"], "memory")
    assert to_pair(tree) == (
        "He runs _2e",
        "open__S open__NP tag__PRP close__NP open__VP tag__VBZ close__VP tag___2e "
        "close__S",
    )


def test_trees_come_back():
    rng = np.random.default_rng(3)
    trees = [
        oracles_parsing.random_tree(rng, oracles_parsing.random_words(rng, 9))
        for _ in range(50)
    ]
    sources, targets = zip(*map(to_pair, trees), strict=True)
    assert list(from_pairs(sources, targets, "memory")) == trees


def test_an_empty_target_is_no_parse():
    assert list(from_pairs(["He runs"], [""], "out")) == [Tree("")]


def test_a_line_that_is_no_tree_is_named():
    source, target = "a", "open__S tag__NN close__S"
    with pytest.raises(InputError, match="out:2: 2 words and only 1 tags"):
        list(from_pairs([source, "a b"], [target, target], "out"))


@pytest.mark.parametrize("sources, targets", [(1, 2), (2, 1)])
def test_lines_without_partner_are_refused(sources, targets):
    source, target = "a", "open__S tag__NN close__S"
    with pytest.raises(InputError, match="out:2: this line or its source is missing"):
        list(from_pairs(sources * [source], targets * [target], "out"))


@pytest.mark.parametrize(
    ("target", "right"),
    [
        ("open__S tag__NN tag__VB close__S", True),
        ("open__S tag__NN close__S", False),  # a word without a tag
        ("open__S tag__NN tag__VB", False),
        ("open__S tag__NN runs close__S", False),
        ("", False),
    ],
)
def test_what_is_a_tree_over_two_words(target, right):
    assert is_tree(target, ["He", "runs"]) is right
    assert is_tree(target, []) is (target == "")


def test_lines_are_written(tmp_path):
    write_lines(tmp_path / "some", ["a", "été"])
    assert (tmp_path / "some").read_bytes() == "a\nété\n".encode()
    with pytest.raises(InputError, match="none/some: can't write it"):
        write_lines(tmp_path / "none" / "some", ["a"])
