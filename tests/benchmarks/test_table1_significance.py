import numpy as np
import pytest
from sacrebleu.metrics import BLEU

from benchmarks.table1_significance import (
    bleu,
    counts,
    markdown,
    measured,
    read_counts,
    resampled,
)
from neural_gpu_tf.evaluation.paired_bootstrap import paired_bootstrap

RNG = np.random.default_rng(0)
REFERENCES = [
    " ".join(RNG.choice(list("abcdefgh"), size=RNG.integers(5, 12))) for _ in range(60)
]
LENGTHS = np.array([len(text.split()) for text in REFERENCES])


def damaged(share):
    rng = np.random.default_rng(1)
    return [
        " ".join(x if rng.random() > share else "z" for x in text.split())
        for text in REFERENCES
    ]


def test_bleu_of_the_sums_is_that_of_the_corpus():
    ours = damaged(0.2)
    expected = BLEU().corpus_score(ours, [REFERENCES]).score
    assert bleu(counts(ours, REFERENCES).sum(0)) == pytest.approx(expected, abs=1e-9)


def test_the_interval_is_about_that_of_sacrebleu():
    ours = damaged(0.2)
    [expected], _ = paired_bootstrap([ours], REFERENCES)
    draws = resampled(counts(ours, REFERENCES))
    low, high = np.percentile(draws, [2.5, 97.5])
    assert draws.mean() == pytest.approx(expected.mean, abs=0.5)
    assert (high - low) / 2 == pytest.approx(expected.interval, rel=0.15)


def test_what_differs_and_what_does_not():
    runs = {
        "attention_seq2seq_1": counts(damaged(0.1), REFERENCES),
        "equal_0": counts(damaged(0.1), REFERENCES),
        "worse_1": counts(damaged(0.5), REFERENCES),
    }
    baseline, equal, worse = measured(runs, LENGTHS, None)
    assert np.isnan(baseline.p_value)
    assert equal.p_value == 1.0
    assert worse.p_value < 0.01
    short = measured(runs, LENGTHS, (1, 7))[0]
    assert short.sentences == (LENGTHS <= 7).sum()
    assert "| equal | 0 | 1.000 |" in markdown([baseline, equal, worse])


def test_counts_are_kept_when_the_translations_are_gone(tmp_path):
    run = tmp_path / "neural_gpu_0"
    run.mkdir()
    texts = damaged(0.3)
    (run / "translations.txt").write_text("\n".join(texts) + "\n")
    first = read_counts(tmp_path, REFERENCES)["neural_gpu_0"]
    (run / "translations.txt").unlink()
    again = read_counts(tmp_path, REFERENCES)["neural_gpu_0"]
    np.testing.assert_array_equal(first, counts(texts, REFERENCES))
    np.testing.assert_array_equal(first, again)
