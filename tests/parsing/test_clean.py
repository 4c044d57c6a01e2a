import numpy as np
import oracles_parsing
import pytest

from neural_gpu_tf.parsing import clean, read_trees
from neural_gpu_tf.parsing.clean import bare_label


def cleaned(text):
    (tree,) = read_trees([text], "memory")
    return str(clean(tree))


@pytest.mark.parametrize(
    "label, bare",
    [
        ("NP", "NP"),
        ("NP-SBJ-1", "NP"),
        ("NP=2", "NP"),
        ("NP-LOC=2", "NP"),
        ("NP=2-LOC", "NP"),
        ("-LRB-", "-LRB-"),
        ("-NONE-", "-NONE-"),
        ("ADVP|PRT", "ADVP|PRT"),
    ],
)
def test_function_tags_and_indices_are_cut_off(label, bare):
    assert bare_label(label) == bare


def test_traces_go_and_the_constituents_they_leave_empty():
    assert cleaned(
        "( (S (NP-SBJ-1 (PRP He)) (VP (VBD seemed) (S (NP-SBJ (-NONE- *-1)) "
        "(VP (TO to) (VP (VB run) (SBAR (-NONE- 0) (S (-NONE- *T*-2)))))))))"
    ) == ("(S (NP (PRP He)) (VP (VBD seemed) (S (VP (TO to) (VP (VB run))))))")


def test_tags_stay_as_they_are():
    assert cleaned("(NP (-LRB- -LRB-) (PRP$ his) (X-Y b-c) (-RRB- -RRB-))") == (
        "(NP (-LRB- -LRB-) (PRP$ his) (X-Y b-c) (-RRB- -RRB-))"
    )


@pytest.mark.parametrize("root", ["", "TOP", "ROOT", "S1", "TOP-1"])
def test_the_outer_bracket_goes(root):
    assert cleaned(f"({root} (NP (NN a)))") == "(NP (NN a))"
    assert cleaned(f"(ROOT ({root} (NP (NN a))))") == "(NP (NN a))"
    assert cleaned(f"({root} (-NONE- *) (NP (NN a)))") == "(NP (NN a))"


@pytest.mark.parametrize("root", ["", "TOP", "ROOT", "S1"])
def test_top_holds_together_what_has_no_other_root(root):
    assert cleaned(f"({root} (NP (NN a)) (. .))") == "(TOP (NP (NN a)) (. .))"
    assert cleaned(f"({root} (NN a))") == "(TOP (NN a))"


def test_a_word_alone_gets_a_root():
    assert cleaned("(NN a)") == "(TOP (NN a))"
    assert cleaned("(TOP a)") == "(TOP (TOP a))"


def test_unlabelled_brackets_within_dissolve():
    assert cleaned("(S ((NP (NN a)) (. .)))") == "(S (NP (NN a)) (. .))"


@pytest.mark.parametrize("text", ["()", "(())", "(S (NP (-NONE- *)))", "(-NONE- *)"])
def test_without_words_nothing_is_left(text):
    assert cleaned(text) == "None"


def test_what_is_clean_stays():
    rng = np.random.default_rng(0)
    for _ in range(100):
        words = oracles_parsing.random_words(rng, 9)
        tree = oracles_parsing.random_tree(rng, words, labels=("S", "NP", "X|Y"))
        assert clean(tree) == tree
