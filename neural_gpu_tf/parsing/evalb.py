"""Labelled bracket scores as EVALB computes them with COLLINS.prm."""

import collections
import itertools
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.parsing.clean import TRACE, bare_label
from neural_gpu_tf.parsing.tree import CLOSE, OPEN, Tree

DELETED = frozenset(("", "TOP", TRACE, ",", ":", "``", "''", "."))
"""COLLINS.prm's DELETE_LABEL, and the Penn Treebank's unlabelled outer bracket."""

EQUAL = {"PRT": "ADVP"}
"""COLLINS.prm's EQ_LABEL: both sides are read as the right one."""


class BracketScores(NamedTuple):
    """The totals over all sentences; shares are percentages, as EVALB prints them."""

    sentences: int
    errors: int  # sentences whose words differ
    skipped: int  # sentences without a parse
    recall: float  # matched / gold
    precision: float  # matched / test
    f1: float
    complete_match: float  # share of sentences with all brackets right
    average_crossing: float  # test brackets a sentence that cross a gold one
    no_crossing: float  # share of sentences
    two_or_less_crossing: float  # share of sentences
    tagging_accuracy: float  # share of words
    matched: int  # brackets
    gold: int
    test: int
    faults: tuple[str, ...]  # what is wrong with the errors' words


class Sentence(NamedTuple):
    """What counts of a tree."""

    words: list[str]
    tags: list[str]
    brackets: list[tuple[str, int, int]]  # label, first word, the one behind the last
    kept: list[bool]  # of each word that is no trace: whether it is in `words`


class _Counts(NamedTuple):
    matched: int
    gold: int
    test: int
    crossing: int
    words: int
    right_tags: int


def evalb(
    gold: Iterable[Tree],
    test: Iterable[Tree],
    most_words: int | None = None,
    gold_punctuation: bool = False,
) -> BracketScores:
    """Scores the trees of a parser against those of a treebank.

        recall    = 100 Σ matched / Σ gold brackets
        precision = 100 Σ matched / Σ test brackets
        F1        = 2 · precision · recall / (precision + recall)

    summed over the sentences, after the rules of EVALB (Sekine & Collins 1997) with
    its parameter file COLLINS.prm:

    - words with a tag in DELETED go before brackets are counted in words; a bracket
      without words is none, and tagged words are no brackets;
    - function tags are cut off labels, a label in DELETED does not count (what it
      holds does), and PRT equals ADVP;
    - brackets match if label and span are equal; of equal ones each matches once;
    - a test bracket crosses if it overlaps a gold one and neither holds the other;
    - a sentence whose words, but for those deleted, differ is an error, and one of
      which the test tree has none is skipped: neither counts in any sum.
    Nothing else is cleaned up, so both sides may hold traces and function tags.

    Args:
        gold: the right trees, in order.
        test: one for each gold tree; `()` for no parse.
        most_words: passes over longer sentences, punctuation counted (EVALB's second
            table takes 40); None: none.
        gold_punctuation: deletes a word on both sides if its gold tag says so. EVALB
            looks at each side's own tags: a comma that the parser tags as a noun makes
            the sentence an error, and a parser that tags badly is scored on the
            sentences that are left.

    Raises:
        InputError: there are more gold trees than test trees, or fewer.
    """
    counts: list[_Counts] = []
    faults: list[str] = []
    skipped = passed = number = 0
    for number, (right, found) in enumerate(itertools.zip_longest(gold, test), 1):
        if right is None or found is None:
            few, many = ("gold", "test") if right is None else ("test", "gold")
            raise InputError(
                f"{few} has {number - 1} trees and {many} has more; give one test tree "
                "for each gold tree, () for no parse"
            )
        ours, theirs = read_sentence(right), read_sentence(found)
        if gold_punctuation and len(ours.kept) == len(theirs.kept):
            theirs = read_sentence(found, ours.kept)
        if most_words is not None and len(ours.kept) > most_words:
            passed += 1
        elif not theirs.words:
            skipped += 1
        elif fault := _difference(ours.words, theirs.words):
            faults.append(f"sentence {number}: {fault}")
        else:
            counts.append(_count(ours, theirs))
    return _totals(counts, number - passed, skipped, tuple(faults))


def _totals(
    counts: Sequence[_Counts], sentences: int, skipped: int, faults: tuple[str, ...]
) -> BracketScores:
    """The scores of the sentences that count, and of how many there are."""
    nothing = _Counts(0, 0, 0, 0, 0, 0)
    total = _Counts(*map(sum, zip(nothing, *counts, strict=True)))
    recall = _percent(total.matched, total.gold)
    precision = _percent(total.matched, total.test)
    return BracketScores(
        sentences=sentences,
        errors=len(faults),
        skipped=skipped,
        recall=recall,
        precision=precision,
        f1=2 * precision * recall / ((precision + recall) or 1),
        complete_match=_share(c.matched == c.gold == c.test for c in counts),
        average_crossing=total.crossing / max(len(counts), 1),
        no_crossing=_share(c.crossing == 0 for c in counts),
        two_or_less_crossing=_share(c.crossing <= 2 for c in counts),
        tagging_accuracy=_percent(total.right_tags, total.words),
        matched=total.matched,
        gold=total.gold,
        test=total.test,
        faults=faults,
    )


def read_sentence(tree: Tree, kept: Sequence[bool] = ()) -> Sentence:
    """Applies the rules of deletion and equality to a tree.

    Args:
        tree: the tree.
        kept: `Sentence.kept` of another tree over the same words, to delete the same
            ones; if not given, the tree's own tags decide.
    """
    result = Sentence([], [], [], [])
    starts: list[int] = []
    for event, part in tree.events():
        here = len(result.words)
        if event == OPEN:
            starts.append(here)
        elif event == CLOSE:
            label, start = bare_label(part.label), starts.pop()
            if label not in DELETED and start < here:
                result.brackets.append((EQUAL.get(label, label), start, here))
        elif part.label != TRACE:
            keep = kept[len(result.kept)] if kept else part.label not in DELETED
            result.kept.append(keep)
            if keep:
                result.words.append(part.word or "")
                result.tags.append(part.label)
    return result


def _difference(words: list[str], others: list[str]) -> str:
    """Says how the words of two sentences differ; "" if they don't."""
    if len(words) != len(others):
        return f"{len(words)} words in gold, {len(others)} in test"
    for word, other in zip(words, others, strict=True):
        if word != other:
            return f"{word!r} in gold, {other!r} in test"
    return ""


def _count(gold: Sentence, test: Sentence) -> _Counts:
    both = collections.Counter(gold.brackets) & collections.Counter(test.brackets)
    crossing = sum(
        any(
            start < first < end < last or first < start < last < end
            for _, first, last in gold.brackets
        )
        for _, start, end in test.brackets
    )
    right_tags = sum(
        EQUAL.get(a, a) == EQUAL.get(b, b)
        for a, b in zip(gold.tags, test.tags, strict=True)
    )
    return _Counts(
        sum(both.values()),
        len(gold.brackets),
        len(test.brackets),
        crossing,
        len(gold.words),
        right_tags,
    )


def _percent(part: int, whole: int) -> float:
    return 100 * part / whole if whole else 0.0


def _share(flags: Iterable[bool]) -> float:
    flags = list(flags)
    return _percent(sum(flags), len(flags))
