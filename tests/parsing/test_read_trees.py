import pytest

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.parsing import Tree, plain_words, read_trees


def read(text):
    return list(read_trees(text.split("\n"), "a.mrg"))


def test_a_tree_may_stretch_over_lines_and_a_line_hold_many():
    he = Tree("S", (Tree("NP-SBJ", (Tree("PRP", word="He"),)),))
    assert read("( (S\n  (NP-SBJ\n\n(PRP He)  )\n))") == [Tree("", (he,))]
    assert read("(S (NP-SBJ (PRP He)))(X (Y z)) (X (Y z))") == [
        he,
        *2 * [Tree("X", (Tree("Y", word="z"),))],
    ]


def test_a_space_that_does_not_break_is_of_its_word():
    assert read("(CD\t10\u00a0000\u2028)") == [Tree("CD", word="10\u00a0000")]
    assert plain_words("10\u00a0000\u2028(x )\u00a0") == ["10\u00a0000", "(x", ")"]


def test_nothing_is_no_tree():
    assert read("\n \n") == []


def test_no_parse_is_an_empty_bracket():
    assert read("()\n( )\n(())") == [Tree(""), Tree(""), Tree("", (Tree(""),))]


def test_trees_come_as_soon_as_they_are_whole():
    def lines():
        yield "(X (Y z)) (X"
        raise AssertionError("read on")

    assert next(read_trees(lines(), "a.mrg")).words() == ["z"]


@pytest.mark.parametrize(
    "text, message",
    [
        ("(X (Y z))\n\n(S\n(NP (NN a)\n(X (Y z))\n", "a.mrg:3: .* lacks 2 closing"),
        ("(X (Y z))\n(X (Y z)))", "a.mrg:2: a closing bracket too many"),
        ("(X (Y z))\nNP (NN a)", "a.mrg:2: 'NP' outside all brackets"),
        ("(X\n(NP))", r"a.mrg:2: \(NP\) holds neither"),
        ("(X\n(NP a b))", r"a.mrg:2: \(NP a b\) holds neither"),
        ("(X\n(NP (NN a) b)\n)", r"a.mrg:2: \(NP \(…\) b\) holds neither"),
        ("(X\n(NP a (NN b))\n)", r"a.mrg:2: \(NP a \(…\)\) holds neither"),
        ("(X\n((NN a) b)\n)", r"a.mrg:2: \(\(…\) b\) holds neither"),
    ],
)
def test_a_fault_names_file_and_line(text, message):
    with pytest.raises(InputError, match=message) as caught:
        read(text)
    assert "\n" not in str(caught.value)
