import re
import time

import numpy as np
import pytest

from neural_gpu_tf.data import NumbersAndDates
from neural_gpu_tf.errors import InputError

MONTHS = dict(
    January="janvier",
    February="février",
    March="mars",
    April="avril",
    May="mai",
    June="juin",
    July="juillet",
    August="août",
    September="septembre",
    October="octobre",
    November="novembre",
    December="décembre",
)
DATE = re.compile(r"[A-Z][a-z]+ \d{1,2}, (19|20)\d\d")


def small(**changes):
    options = {"train_examples": 1_500, "validation_examples": 100, **changes}
    return NumbersAndDates(**options)


def test_known_words():
    source = small(train_examples=2_000, validation_examples=250, max_number=999)
    pairs = dict(source.pairs("train") + source.pairs("validation"))
    assert pairs["zero"] == "zéro"
    assert pairs["seventy-one"] == "soixante et onze"
    assert pairs["eighty"] == "quatre-vingts"
    assert pairs["eighty-one"] == "quatre-vingt-un"
    dates = [pair for pair in pairs.items() if DATE.fullmatch(pair[0])]
    assert len(dates) > 500
    for english, french in dates:
        month, day, year = re.split("[ ,]+", english)
        assert french == f"{day} {MONTHS[month]} {year}"  # with plain spaces
    large = dict(small(max_number=1_000_000, train_examples=2_000).pairs("train"))
    pattern = r"(\S+) thousand, (\S+) hundred and (\S+)"
    found = [re.fullmatch(pattern, english) for english in large]
    assert any(found)
    assert all("mille " in large[match[0]] for match in found if match)


def test_a_pure_function_of_the_seed():
    first, again, other = small(seed=3), small(seed=3), small(seed=4)
    for split in ("train", "validation"):
        assert first.pairs(split) == again.pairs(split)
        assert set(first.pairs(split)) != set(other.pairs(split))
    dataset = list(first.dataset("validation").as_numpy_iterator())
    pairs = [(source.decode(), target.decode()) for source, target in dataset]
    assert pairs == first.pairs("validation")
    sentences = [text for pair in pairs for text in pair]
    assert list(first.sentences("validation")) == sentences


def test_no_pair_twice_nor_in_both_splits_whatever_the_seeds():
    sources = [small(seed=seed, validation_examples=500) for seed in range(3)]
    train = [source.pairs("train") for source in sources]
    held_out = [source.pairs("validation") for source in sources]
    for pairs, size in zip(train + held_out, [1_500] * 3 + [500] * 3, strict=True):
        assert len(set(pairs)) == len(pairs) == size
    assert not set().union(*train) & set().union(*held_out)
    assert not {x for x, _ in sum(train, [])} & {x for x, _ in sum(held_out, [])}


def test_a_tenth_is_held_out():
    # Both splits together ask for everything: numbers to 9,999 and 73,049 dates.
    everything = 10_000 + 73_049
    with pytest.raises(InputError) as error:
        small(train_examples=everything, max_number=9_999)
    most = int(re.search(r"only (\d+) numbers \(to 9999\)", str(error.value))[1])
    assert 0.895 < most / everything < 0.905
    with pytest.raises(InputError, match=f"has only {everything - most} numbers"):
        small(validation_examples=everything, max_number=9_999)
    small(train_examples=most, validation_examples=everything - most, max_number=9_999)


def test_few_numbers_are_drawn_evenly():
    """All below 1,000 are equally likely; no sort's order of equals decides."""
    source = small(train_examples=200)
    found = [number for number in source._ids["train"] if number < 1 << 32]
    legal = np.array(sorted(set(small(train_examples=10_000)._ids["train"])))
    legal = legal[legal < 1_000].astype(np.uint64)
    drawn = source._exponential(legal, 1)
    assert len(found) == 100
    assert set(found) == set(legal[np.argsort(drawn)][:100].tolist())


def test_half_dates_and_every_magnitude():
    ids = np.array(small(train_examples=10_000)._ids["train"])
    dates = ids >= 1 << 32
    assert dates.sum() == 5_000
    numbers = ids[~dates]
    assert set(range(100)) <= set(numbers)
    assert 880 < (numbers < 1_000).sum() < 940  # all but those held out
    share = np.histogram(np.log10(numbers[numbers >= 1_000]), [3, 4, 5, 6])[0]
    assert share.sum() == (numbers >= 1_000).sum()
    assert (share > 0.25 * share.sum()).all()
    # The order has no trend: neither in kind nor in magnitude.
    assert abs(dates[:5_000].sum() - 2_500) < 150
    logs = np.log(numbers + 1.0)
    middle = len(logs) // 2
    assert abs(logs[:middle].mean() - logs[middle:].mean()) < 0.2


def test_few_numbers_are_filled_up_with_dates():
    english = [source for source, _ in small(max_number=9).pairs("train")]
    assert sum(bool(DATE.fullmatch(text)) for text in english) == 1_490


def test_fast():
    start = time.process_time()
    small(train_examples=2_000).pairs("train")
    assert time.process_time() - start < 2  # 20,000 pairs: a few seconds


def test_an_unknown_split():
    with pytest.raises(InputError, match="split=test: .*train, validation"):
        small().pairs("test")


@pytest.mark.parametrize(
    "wrong", [{"train_examples": -5}, {"validation_examples": 0}, {"seed": -1}]
)
def test_what_there_cannot_be(wrong):
    with pytest.raises(InputError, match="=".join(map(str, next(iter(wrong.items()))))):
        small(**wrong)


def test_a_split_that_there_is_not_is_not_described():
    with pytest.raises(InputError, match="split=test"):
        small().describe("test")
