import itertools
from collections import Counter

import pytest

from neural_gpu_tf.data import SequenceCopy, open_source
from neural_gpu_tf.data.sequence_copy import WORDS
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.options import DataConfig
from neural_gpu_tf.text import SpellOutTokenizer, Vocabulary, count_pieces


def test_each_word_is_a_symbol():
    source = SequenceCopy(train_examples=100, validation_examples=1, longest=9)
    counts = count_pieces(source.sentences("train"))
    tokenizer = SpellOutTokenizer(Vocabulary.from_counts(*counts, 1_000))
    symbols = tokenizer.tokenize("ba to ke")
    assert len(symbols) == 3
    assert tokenizer.detokenize(symbols[None]).numpy().tolist() == [b"ba to ke"]


def test_lengths_and_words_are_even():
    source = SequenceCopy(train_examples=4_000, validation_examples=7, longest=5)
    sequences = [text.split(" ") for text in source.sequences("train")]
    lengths = Counter(map(len, sequences))
    assert sorted(lengths) == [1, 2, 3, 4, 5]
    assert all(abs(count - 800) < 120 for count in lengths.values())
    words = Counter(itertools.chain(*sequences))
    assert sorted(words) == sorted(WORDS) and len(words) == 20
    assert max(words.values()) < 1.25 * min(words.values())
    assert len(list(source.sequences("validation"))) == 7


def test_the_target_is_the_source_and_the_seed_makes_both():
    def pairs(split, seed=0):
        config = DataConfig(
            data="sequence_copy",
            train_examples=20,
            validation_examples=20,
            longest_sequence=9,
            seed=seed,
        )
        source = open_source(config)
        assert list(source.sentences(split))[1::2] == list(source.sequences(split))
        return list(source.dataset(split).as_numpy_iterator())

    assert all(source == target for source, target in pairs("train"))
    assert pairs("train") == pairs("train")
    assert pairs("train") != pairs("train", seed=1)
    assert pairs("train") != pairs("validation")


def test_no_split_of_that_name():
    source = SequenceCopy(train_examples=1, validation_examples=1, longest=1)
    with pytest.raises(InputError, match="test"):
        next(source.sequences("test"))
    with pytest.raises(InputError, match="test"):
        source.describe("test")


@pytest.mark.parametrize(
    "wrong", [{"train_examples": -1}, {"longest": 0}, {"seed": -1}, {"seed": 2**63}]
)
def test_what_there_cannot_be(wrong):
    given = {"train_examples": 1, "validation_examples": 1, "longest": 1} | wrong
    with pytest.raises(InputError, match="=".join(map(str, next(iter(wrong.items()))))):
        SequenceCopy(**given)
