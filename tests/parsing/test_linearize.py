import numpy as np
import oracles_parsing
import pytest

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.parsing import Tree, delinearize, linearize, read_trees


def test_is_as_in_the_paper_with_tags_for_words():
    """Vinyals et al. 2015, Figure 2: John has a dog."""
    (tree,) = read_trees(
        ["(S (NP (NNP John)) (VP (VBZ has) (NP (DT a) (NN dog))) (. .))"], "memory"
    )
    symbols = "(S (NP NNP )NP (VP VBZ (NP DT NN )NP )VP . )S"
    assert linearize(tree) == symbols.split()
    assert delinearize(symbols.split(), tree.words(), "memory:1") == tree


def test_delinearize_is_the_inverse():
    rng = np.random.default_rng(1)
    seen = set()
    for _ in range(300):
        words = oracles_parsing.random_words(rng, 12)
        tree = oracles_parsing.random_tree(rng, words)
        symbols = linearize(tree)
        brackets = [symbol for symbol in symbols if symbol[0] in "()"]
        assert len(symbols) == len(words) + len(brackets)
        assert delinearize(symbols, words, "memory:1") == tree
        assert linearize(delinearize(symbols, words, "memory:1")) == symbols
        seen.add(len(brackets))
    assert len(seen) > 8


def test_goes_as_deep_as_it_must():
    tree = Tree("NN", word="x")
    for _ in range(5_000):
        tree = Tree("NP", (tree,))
    assert str(delinearize(linearize(tree), ["x"], "memory:1")) == str(tree)


@pytest.mark.parametrize(
    "symbols, words, message",
    [
        ("(S NN )NP", "a", r"\)NP closes no bracket; open is \(S"),
        (")S", "a", r"\)S closes no bracket"),
        ("(S NN )S )S", "a", r"\)S closes no bracket"),
        ("(S NN (NP )NP )S", "a", r"\(NP \)NP holds nothing"),
        ("(S (NP NN )NP", "a", r"\(S is never closed"),
        ("(S NN NN )S", "a", "the tag NN has no word, there are 1"),
        ("(S NN )S", "a b", "2 words and only 1 tags"),
        ("(S NN )S (S NN )S", "a b", "2 trees or words where one"),
        ("NN", "a", "1 trees or words where one"),
        ("", "", "0 trees or words where one"),
    ],
)
def test_what_is_no_tree_is_refused(symbols, words, message):
    with pytest.raises(InputError, match=f"out.txt:7: .*{message}"):
        delinearize(symbols.split(), words.split(), "out.txt:7")
