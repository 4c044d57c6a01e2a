import random

import pytest

from benchmarks import tokenize as benchmark
from benchmarks.naive_tokenizer import NaiveTokenizer
from benchmarks.tokenize import generated, measure, new_vocabulary
from neural_gpu_tf.text import SpellOutTokenizer

LETTERS = "aab é(),.-_  \t\u00a0中1"


def texts():
    rng = random.Random(0)
    return ["".join(rng.choices(LETTERS, k=rng.randrange(12))) for _ in range(300)]


@pytest.mark.parametrize("size", [260, 264, 300])
def test_the_naive_tokenizer_is_the_packages(size):
    """Both ways, on texts, and back on any symbols at all."""
    vocabulary = new_vocabulary(texts(), size)
    naive, package = NaiveTokenizer(vocabulary), SpellOutTokenizer(vocabulary)
    rows = [naive.tokenize(text) for text in texts()]
    assert rows == package.tokenize(texts()).to_list()
    rng = random.Random(1)
    likely = [0, 1, 2, 3, 4 + 0xC3, 4 + 0xA9, *range(260, len(vocabulary))]
    rows += [rng.choices(likely, k=12) for _ in range(300)]
    again = package.detokenize(_padded(rows)).numpy()
    assert [naive.detokenize(row) for row in rows] == [x.decode() for x in again]


def _padded(rows):
    longest = max(map(len, rows))
    return [row + [0] * (longest - len(row)) for row in rows]


def test_speeds_are_of_the_same_sentences():
    given = generated(25)
    assert len(given) == len(set(given)) == 25
    vocabulary = new_vocabulary(given, 300)
    result = measure(given, vocabulary, rounds=2)
    rows = [NaiveTokenizer(vocabulary).tokenize(text) for text in given]
    assert result["symbols"] == sum(map(len, rows))
    pieces = sum(symbol in vocabulary.piece_ids for row in rows for symbol in row)
    assert result["spelled"] == pytest.approx(1 - pieces / result["symbols"])
    for what in ("tokenize", "detokenize"):
        package, naive = result[what]["package"], result[what]["naive"]
        assert naive["ratio"] == naive["median"] / package["median"]
        for one in (package, naive):
            low, high = one["quartiles"]
            assert 0 < low <= one["median"] <= high
            speed = one["sentences_per_second"]
            assert speed == pytest.approx(25 / one["median"])


def test_another_answer_is_no_result(monkeypatch):
    class Wrong(NaiveTokenizer):
        def tokenize(self, text):
            return super().tokenize(text)[1:]

    monkeypatch.setattr(benchmark, "NaiveTokenizer", Wrong)
    given = ["one two"]
    with pytest.raises(RuntimeError, match="tokenize of 'one two' differs"):
        measure(given, new_vocabulary(given, 300), rounds=2)
