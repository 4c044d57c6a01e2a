import runpy
import sys

import numpy as np
import pytest
from absl import flags
from PIL import Image
from sacrebleu.metrics import BLEU

from benchmarks import table1_significance
from benchmarks.csv_rows import read
from benchmarks.table1_significance import (
    BUCKETS,
    bleu,
    counts,
    draw,
    markdown,
    measured,
    read_counts,
    resampled,
)
from neural_gpu_tf.errors import InputError
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


def test_counts_are_made_anew_for_other_references_and_translations(tmp_path):
    run = tmp_path / "neural_gpu_0"
    run.mkdir()
    file, texts = run / "translations.txt", damaged(0.3)
    file.write_text("\n".join(texts) + "\n")
    assert bleu(read_counts(tmp_path, REFERENCES)["neural_gpu_0"].sum(0)) < 90
    assert bleu(read_counts(tmp_path, texts)["neural_gpu_0"].sum(0)) > 99
    file.write_text("\n".join(REFERENCES) + "\n")
    assert bleu(read_counts(tmp_path, texts)["neural_gpu_0"].sum(0)) < 90
    with pytest.raises(InputError, match="translations.txt: 60 lines, but 59 ref"):
        read_counts(tmp_path, REFERENCES[1:])
    file.unlink()
    kept = (tmp_path / "statistics.npz").read_bytes()
    for others in (REFERENCES[1:], damaged(0.9)):
        with pytest.raises(InputError, match="neural_gpu_0 has the counts of 60 sent"):
            read_counts(tmp_path, others)
    assert bleu(read_counts(tmp_path, texts)["neural_gpu_0"].sum(0)) < 90
    assert (tmp_path / "statistics.npz").read_bytes() == kept


def test_one_sentence_is_no_evidence():
    runs = {
        "attention_seq2seq_0": counts(["a b c d e"] * 9, ["a b c d e"] * 9),
        "other_0": counts(["a b c d f"] * 9, ["a b c d e"] * 9),
    }
    assert measured(runs, np.full(9, 5), None)[1].p_value == 1


def test_a_table_has_no_lengths_that_no_sentence_has(tmp_path, monkeypatch):
    texts = ["a b c d", "e f g h", "c d e f"]
    for name in ("source", "target"):
        (tmp_path / name).write_text("\n".join(texts) + "\n")
    run = tmp_path / "neural_gpu_0"
    run.mkdir()
    (run / "translations.txt").write_text("\n".join(texts) + "\n")
    files = [f"--{name}={tmp_path / name}" for name in ("source", "target")]
    monkeypatch.setattr(sys, "argv", ["", f"--out={tmp_path}", *files])
    known = {*flags.FLAGS}
    try:
        with pytest.raises(SystemExit) as end:
            runpy.run_path(table1_significance.__file__, {}, "__main__")
    finally:
        for flag in {*flags.FLAGS} - known:
            delattr(flags.FLAGS, flag)
        flags.FLAGS.unparse_flags()
    assert not end.value.code
    rows = read(tmp_path / "lengths.csv", table1_significance.Tested)
    assert [(row.words, row.bleu) for row in rows] == [("all", 100.0), ("1-7", 100.0)]


def test_the_figure_is_made_again_in_small(tmp_path):
    """BLEU by words of the source, from translations to the picture."""
    references = [f"{text} end" * 2 for text in REFERENCES]
    lengths = np.resize([first for first, _ in BUCKETS], len(references))
    runs = {
        f"{name}_{seed}": counts(
            [text.replace("a", "z", i) for text in references], references
        )
        for i, name in enumerate(("attention_seq2seq", "neural_gpu"))
        for seed in (0, 1)
    }
    rows = [row for words in BUCKETS for row in measured(runs, lengths, words)]
    assert [row.bleu for row in rows if row.model == "attention_seq2seq"] == [
        100.0
    ] * 10
    draw(rows, tmp_path / "one.png")
    draw(rows[::2] + rows[1::2], tmp_path / "same.png")
    with Image.open(tmp_path / "one.png") as picture:
        assert picture.width > 800 and len(picture.getcolors(1 << 20)) > 100
    assert (tmp_path / "one.png").read_bytes() == (tmp_path / "same.png").read_bytes()


def test_a_seed_is_compared_with_the_baseline_of_that_seed():
    runs = {
        "attention_seq2seq_0": counts(damaged(0.6), REFERENCES),
        "attention_seq2seq_1": counts(damaged(0.1), REFERENCES),
        "m_1": counts(damaged(0.1), REFERENCES),
    }
    rows = {(row.model, row.seed): row for row in measured(runs, LENGTHS, None)}
    assert rows["m", 1].p_value == 1
