import numpy as np
import pytest
from sacrebleu.metrics import BLEU

from neural_gpu_tf.evaluation.bleu_by_source_length import bleu_by_source_length

LENGTHS = [0, 9, 10, 19, 12, 35]


def text(rng, words):
    return " ".join(f"w{i}" for i in rng.integers(0, 5, words))


def test_buckets_of_ten_words():
    rng = np.random.default_rng(0)
    sources = [text(rng, n) for n in LENGTHS]
    ours, theirs = ([text(rng, 8) for _ in LENGTHS] for _ in "ab")
    found = bleu_by_source_length(sources, ours, theirs)
    assert [(x.words, x.sentences) for x in found] == [
        ("0-9", 2),
        ("10-19", 3),
        ("30-39", 1),
    ]
    for bucket, members in zip(found, ([0, 1], [2, 3, 4], [5]), strict=True):
        expected = BLEU().corpus_score(
            [ours[i] for i in members], [[theirs[i] for i in members]]
        )
        assert bucket.bleu == pytest.approx(expected.score) and bucket.bleu > 0


def test_buckets_of_other_widths():
    sources = ["a b c", "a b c d", "a b c d e"]
    texts = ["v w x y"] * 3
    found = bleu_by_source_length(sources, texts, texts, words=2)
    assert [(x.first, x.last, x.sentences) for x in found] == [(2, 3, 1), (4, 5, 2)]
    assert [x.words for x in bleu_by_source_length(sources, texts, texts, 1)] == [
        "3",
        "4",
        "5",
    ]


def test_no_bleu_where_the_references_are_too_short_for_any():
    sources, references = ["one", "two"], ["un", "deux trois quatre"]
    (short,) = bleu_by_source_length(sources, references, references)
    assert short.bleu is None
    references = ["un", "un deux trois quatre"]
    (bad,) = bleu_by_source_length(sources, ["un", "non"], references)
    assert bad.bleu == 0
