import subprocess
import sys

import numpy as np
import pytest

from benchmarks.csv_rows import read
from benchmarks.lengths import (
    BUCKETS,
    LengthRow,
    in_words,
    markdown,
    sentences,
    symbols,
    write_texts,
)


def test_symbols_are_words_and_marks():
    english, french = in_words([97, 304])
    assert english == "ninety-seven, three hundred and four"
    assert french == "quatre-vingt-dix-sept, trois cent quatre"
    assert symbols(english) == 8 and symbols(french) == 11


def test_sentences_have_the_lengths_asked_for():
    rng = np.random.default_rng(0)
    pairs = sentences(rng, 200, 3, 9, both=True)
    lengths = [symbols(english) for english, _ in pairs]
    assert {3, 4, 5, 6, 8, 9} <= set(lengths) <= set(range(3, 10))
    assert max(symbols(french) for _, french in pairs) <= 9
    free = sentences(rng, 40, 3, 9, both=False)
    assert max(symbols(french) for _, french in free) > 9


def test_sentences_that_are_known_are_not_drawn():
    def sources(known=()):
        rng = np.random.default_rng(0)
        return {x for x, _ in sentences(rng, 60, 1, 5, both=True, known=known)}

    known = sources()
    assert not sources(known) & known


def test_texts_are_the_same_each_time(tmp_path):
    for folder in ("a", "b"):
        write_texts(tmp_path / folder, 20, 5)
    for split, count in (("train", 20), ("validation", 5)):
        for side in ("source", "target"):
            one, other = (
                (tmp_path / folder / f"{split}.{side}").read_text("utf-8")
                for folder in ("a", "b")
            )
            assert one == other and one.count("\n") == count
    write_texts(tmp_path / "a", 1, 1)  # what is there stays
    assert (tmp_path / "a/train.source").read_text("utf-8").count("\n") == 20


def test_the_table_has_the_mean_of_seeds():
    rows = [
        LengthRow("a", seed, 7, first, last, 5, bleu, exact)
        for seed, bleu, exact in ((0, 20.0, 0.5), (1, 30.0, 0.0))
        for first, last in BUCKETS
    ]
    *_, line = markdown(rows).splitlines()
    assert line == "| a | 2 |" + " 25.0, 25% |" * len(BUCKETS)


@pytest.mark.slow
def test_a_model_for_seconds(tmp_path):
    done = subprocess.run(
        [
            *(sys.executable, "-m", "benchmarks.lengths", f"--out={tmp_path}"),
            *("--minutes=0.02", "--training=500", "--each=2"),
            *("--models=attention_seq2seq", "--", "--maps=24", "--min_count=5"),
        ],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    rows = read(tmp_path / "lengths.csv", LengthRow)
    assert [(row.first, row.last) for row in rows] == list(BUCKETS)
    assert {row.model for row in rows} == {"attention_seq2seq"}
    assert done.stdout.strip() == markdown(rows).strip()
    assert (tmp_path / "lengths.png").stat().st_size > 5_000
