import numpy as np
import oracles_parsing
import pytest

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.parsing import evalb, read_trees

GOLD = """
(S (NP (DT The) (NN cat)) (VP (VBD sat) (PP (IN on) (NP (DT the) (NN mat)))
 (ADVP (RB quietly))) (. .))
(S (NP (NNP Mr.) (NNP Smith)) (, ,) (VP (VBD said) (SBAR (S (NP (PRP he))
 (VP (VBZ runs) (PRT (RP off)))))) (. .))
"""
TEST = """
(S (NP (DT The) (NN cat)) (VP (VBD sat) (PP (IN on) (NP (NP (DT the) (NN mat))
 (ADVP (RB quietly))))) (. .))
(S (NP (NNP Mr.) (NNP Smith) (, ,)) (VP (VBD said) (S (NP (PRP he))
 (VP (VBZ runs) (ADVP (RB off))))) (. .))
"""


def trees(text):
    return list(read_trees(text.splitlines(), "memory"))


def scores(gold, test, **options):
    return evalb(trees(gold), trees(test), **options)


def brackets(gold, test):
    result = scores(gold, test)
    assert result.errors == result.skipped == 0
    return result.matched, result.gold, result.test


def test_equals_what_evalb_printed():
    """The C program, with COLLINS.prm, on these trees."""
    result = scores(GOLD, TEST)
    rounded = [f"{x:.2f}" for x in (result.recall, result.precision, result.f1)]
    assert rounded == ["85.71", "85.71", "85.71"]
    assert (result.matched, result.gold, result.test) == (12, 14, 14)
    first, second = zip(trees(GOLD), trees(TEST), strict=True)
    counted = [
        (one.matched, one.gold, one.test)
        for one in (evalb([gold], [test]) for gold, test in (first, second))
    ]
    assert counted == [(5, 6, 7), (7, 8, 7)]


def test_recall_precision_and_f1():
    result = scores("(S (A (x a)) (x b))", "(S (B (A (x a))) (B (x b)))")
    assert (result.matched, result.gold, result.test) == (2, 2, 4)
    assert (result.recall, result.precision) == (100, 50)
    assert result.f1 == pytest.approx(2 * 100 * 50 / 150)


def test_sums_go_over_sentences_before_shares_are_taken():
    result = scores("(S (A (x a)) (x b)) (S (x a))", "(S (x a) (x b)) (S (x a))")
    assert result.recall == pytest.approx(100 * 2 / 3)
    assert result.complete_match == 50


def test_labels_and_spans_must_both_agree():
    assert brackets("(S (A (x a)) (x b))", "(S (B (x a)) (x b))") == (1, 2, 2)
    assert brackets("(S (A (x a)) (x b))", "(S (x a) (A (x b)))") == (1, 2, 2)


def test_tagged_words_are_no_brackets():
    assert brackets("(S (A a))", "(S (B a))") == (1, 1, 1)


def test_brackets_are_a_multiset():
    assert brackets("(A (A (x a)))", "(A (A (A (x a))))") == (2, 2, 3)
    assert brackets("(A (A (A (x a))))", "(A (x a))") == (1, 3, 1)


@pytest.mark.parametrize("tag", [",", ":", "``", "''", "."])
def test_punctuation_is_taken_out_before_spans_are_counted(tag):
    inside = f"(S (A (x a) ({tag} -)) (x b))"
    outside = f"(S (A (x a)) ({tag} -) (x b))"
    assert brackets(inside, outside) == (2, 2, 2)
    assert brackets(f"(S (x a) (A ({tag} -)))", f"(S (x a) ({tag} -))") == (1, 1, 1)


@pytest.mark.parametrize("tag", ["-LRB-", "$", "#", "POS", "!"])
def test_other_marks_count(tag):
    inside = f"(S (A (x a) ({tag} -)) (x b))"
    outside = f"(S (A (x a)) ({tag} -) (x b))"
    assert brackets(inside, outside) == (1, 2, 2)


def test_traces_go_with_what_they_leave_empty():
    gold = "(S (NP-SBJ (-NONE- *-1)) (VP (x a) (S (NP (-NONE- 0)))))"
    assert brackets(gold, "(S (VP (x a)))") == (2, 2, 2)


@pytest.mark.parametrize("root", ["TOP", ""])
def test_the_outer_bracket_does_not_count(root):
    assert brackets(f"({root} (S (x a)))", "(S (x a))") == (1, 1, 1)
    assert brackets(f"({root} (S (x a)))", f"({root} (S (x a)))") == (1, 1, 1)


def test_other_roots_count():
    assert brackets("(ROOT (S (x a)))", "(S (x a))") == (1, 2, 1)


def test_function_tags_are_cut_off():
    assert brackets("(S (NP-SBJ-1 (x a)))", "(S (NP=2 (x a)))") == (2, 2, 2)


def test_adverbs_and_particles_are_equal():
    assert brackets("(S (ADVP (x a)))", "(S (PRT (x a)))") == (2, 2, 2)
    assert brackets("(S (PRT (ADVP (x a))))", "(S (ADVP (x a)))") == (2, 3, 2)
    assert brackets("(S (ADVP (x a)))", "(S (ADJP (x a)))") == (1, 2, 2)


def test_crossing_counts_test_brackets():
    gold = "(S (A (x a) (x b)) (B (x c) (x d)) (x e))"
    test = "(S (x a) (C (D (x b) (x c)) (x d)) (x e))"
    result = scores(gold + gold, test + gold)
    assert result.average_crossing == 2 / 2  # C and D; D crosses A and B, once counted
    assert (result.no_crossing, result.two_or_less_crossing) == (50, 100)
    assert scores(test, gold).average_crossing == 2  # A crosses C and D, B only D
    nested = scores("(S (A (x a) (x b)) (x c))", "(S (A (B (x a)) (x b)) (x c))")
    assert nested.average_crossing == 0


def test_more_than_two_crossing():
    gold = "(S (A (x a) (x b)) (x c))"
    result = scores(gold, "(S (x a) (B (B (B (x b) (x c)))))")
    assert (result.average_crossing, result.two_or_less_crossing) == (3, 0)
    result = scores(gold, "(S (x a) (B (B (x b) (x c))))")
    assert (result.average_crossing, result.two_or_less_crossing) == (2, 100)


def test_tags_are_counted_without_punctuation():
    result = scores("(S (x a) (y b) (. .))", "(S (x a) (x b) (. .))")
    assert result.tagging_accuracy == 50
    result = scores("(S (x a) (x b)) (S (x a))", "(S (x a) (x b)) (S (y a))")
    assert result.tagging_accuracy == pytest.approx(200 / 3)


def test_complete_match_takes_all_brackets_and_no_more():
    gold = 3 * "(S (A (x a)))"
    result = scores(gold, "(S (A (x a))) (S (A (A (x a)))) (S (y a))")
    assert result.complete_match == pytest.approx(100 / 3)
    assert scores("(S (x a))", "(S (y a))").complete_match == 100  # tags aside


def test_other_words_are_errors_and_count_nowhere():
    gold = "(S (x a)) (S (x b) (x c)) (S (x d)) (S (x e))"
    test = "(S (x a)) (S (x b)) (S (x D)) (S (x e) (, ,))"
    result = scores(gold, test)
    assert (result.sentences, result.errors, result.skipped) == (4, 2, 0)
    assert (result.matched, result.gold, result.test) == (2, 2, 2)
    assert result.f1 == result.complete_match == result.tagging_accuracy == 100
    assert result.faults == (
        "sentence 2: 2 words in gold, 1 in test",
        "sentence 3: 'd' in gold, 'D' in test",
    )


def test_a_mark_with_another_tag_is_an_error():
    """As in EVALB: it is deleted on one side only."""
    result = scores("(S (x a) ('' '))", "(S (x a) (POS '))")
    assert (result.errors, result.faults) == (
        1,
        ("sentence 1: 1 words in gold, 2 in test",),
    )


def test_punctuation_can_be_deleted_by_its_gold_tag():
    """Then no tag, on either side, makes a sentence an error."""
    gold = "(S (A (x a) (, -)) (-NONE- *) (x b)) (S (A (x a) (x b)))"
    test = "(S (A (x a) (x -)) (x b)) (S (A (x a) (. b)))"
    assert scores(gold, test).errors == 2
    result = scores(gold, test, gold_punctuation=True)
    assert result.errors == 0
    assert (result.matched, result.gold, result.test) == (4, 4, 4)
    assert result.tagging_accuracy == 75  # of a b a b
    assert scores(gold, gold, gold_punctuation=True) == scores(gold, gold)
    other = "(S (A (x c) (, -)) (x b)) (S (x a))"
    assert scores(gold, other, gold_punctuation=True).errors == 2
    assert scores(gold, "() ()", gold_punctuation=True).skipped == 2


@pytest.mark.parametrize("nothing", ["()", "(())", "(S (. .))"])
def test_no_parse_is_skipped(nothing):
    result = scores("(S (x a)) (S (x b))", f"{nothing} (S (x b))")
    assert (result.sentences, result.errors, result.skipped) == (2, 0, 1)
    assert (result.gold, result.recall, result.complete_match) == (1, 100, 100)


def test_long_sentences_are_passed_over_by_their_gold_length():
    """Punctuation counts as words there, traces don't."""
    gold = "(S (x a) (-NONE- *) (. .)) (S (x a) (x b) (. .)) (S (x a))"
    test = "(S (x a)) (A (x a) (x b)) (A (x a))"
    result = scores(gold, test, most_words=2)
    assert (result.sentences, result.matched, result.gold) == (2, 1, 2)
    assert scores(gold, test).sentences == 3


@pytest.mark.parametrize(
    "gold, test, message",
    [(2, 1, "test has 1 trees and gold has more"), (1, 2, "gold has 1 trees and test")],
)
def test_each_gold_tree_needs_a_test_tree(gold, test, message):
    with pytest.raises(InputError, match=message):
        scores(gold * "(S (x a))", test * "(S (x a))")


def test_nothing_scores_nothing():
    result = evalb([], [])
    assert (result.sentences, result.f1, result.complete_match) == (0, 0, 0)
    assert scores("(S (x a))", "(A (x a))").f1 == 0


def test_a_tree_matches_itself_and_exchange_exchanges_recall_and_precision():
    rng = np.random.default_rng(5)
    pairs = []
    for _ in range(60):
        words = oracles_parsing.random_words(rng, 9)
        pairs.append([oracles_parsing.random_tree(rng, words) for _ in range(2)])
    gold, test = zip(*pairs, strict=True)
    same = evalb(gold, gold)
    assert same.matched == same.gold == same.test > 100
    assert same.tagging_accuracy == same.complete_match == 100
    assert same.average_crossing == 0
    there, back = evalb(gold, test), evalb(test, gold)
    assert (there.recall, there.precision) == (back.precision, back.recall)
    assert there.f1 == pytest.approx(back.f1)
    assert 0 < there.f1 < 100
    bad = there.errors + there.skipped  # tags that delete words on one side
    assert bad == back.errors + back.skipped
    assert 0 < bad < 60
