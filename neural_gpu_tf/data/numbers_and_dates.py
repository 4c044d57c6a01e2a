"""Numbers and dates in words, English to French: a small task that any CPU learns."""

import datetime
from collections.abc import Iterator

import numpy as np
import tensorflow as tf

from neural_gpu_tf.configuration import check_choice, check_seed, whole_number
from neural_gpu_tf.errors import InputError

_SPLITS = ("train", "validation")
_ALWAYS_TRAIN = 100  # numbers below it hold every word there is
_ALL_OF = 1_000  # all numbers below it come before any larger one
_FIRST_DAY = datetime.date(1900, 1, 1).toordinal()
_LAST_DAY = datetime.date(2099, 12, 31).toordinal()
_DATES = 1 << 32  # a date's id is _DATES + its ordinal; a number's id is itself


class NumbersAndDates:
    """Generated pairs: half numbers 0...`max_number`, half dates 1900...2099.

        two thousand, three hundred and forty-five  deux mille trois cent quarante-cinq
        August 11, 1987                             11 août 1987

    num2words writes the numbers, Babel the dates (`format_date(day, "long")`). The
    pairs are a pure function of the arguments, and no pair occurs twice.

    Held out for validation is every number from 100 on, and every date, whose
    `splitmix64(id) % 10 == 0`. This doesn't depend on the seed, so no two runs ever
    train on what the other holds out. Numbers below 100 always train: they have all
    the words, and some words ("zero") occur nowhere else.

    Of its part, a split takes all numbers below 1,000, then larger ones n drawn
    without replacement with weights 1/n (so every magnitude has the same share), and
    dates drawn evenly. Where there are too few of one kind, the other fills up.

    Args:
        train_examples: pairs in "train".
        validation_examples: pairs in "validation".
        max_number: the greatest number, up to 9,999,999.
        seed: seed of what is drawn, and of its order.

    Raises:
        InputError: there aren't that many numbers and dates, a count is less than 1,
            or `seed` is no seed.
    """

    def __init__(
        self,
        *,
        train_examples: int,
        validation_examples: int,
        max_number: int = 999_999,
        seed: int = 0,
    ) -> None:
        check_seed("seed", seed)
        self.train_examples = whole_number("train_examples", train_examples, 1)
        self.validation_examples = whole_number(
            "validation_examples", validation_examples, 1
        )
        self.max_number = whole_number("max_number", max_number, 0)
        self.seed = seed
        self._pairs: dict[str, list[tuple[str, str]]] = {}
        self._ids = {split: self._draw(split) for split in _SPLITS}

    def pairs(self, split: str) -> list[tuple[str, str]]:
        """The (English, French) pairs of a split, as text."""
        check_choice("split", split, _SPLITS)
        if split not in self._pairs:
            self._pairs[split] = [_in_words(number) for number in self._ids[split]]
        return self._pairs[split]

    def dataset(self, split: str) -> tf.data.Dataset:
        """(source, target), string scalars, always in the same order."""
        source, target = zip(*self.pairs(split), strict=True)
        return tf.data.Dataset.from_tensor_slices((list(source), list(target)))

    def fingerprints(self) -> dict[str, str]:
        """Empty: there are no files, all is drawn from the seed."""
        return {}

    def describe(self, split: str) -> str:
        """Which pairs a split has, for the log."""
        check_choice("split", split, _SPLITS)
        count = getattr(self, f"{split}_examples")
        return f"{count:,} generated pairs, numbers and dates"

    def sentences(self, split: str) -> Iterator[str]:
        """Every sentence, English and French in turn."""
        for pair in self.pairs(split):
            yield from pair

    def _draw(self, split: str) -> list[int]:
        """The ids of a split's numbers and dates, in their order."""
        count = getattr(self, f"{split}_examples")
        numbers = np.arange(self.max_number + 1, dtype=np.uint64)
        dates = np.arange(_FIRST_DAY, _LAST_DAY + 1, dtype=np.uint64) + _DATES
        numbers, dates = (
            ids[_held_out(ids) == (split == "validation")] for ids in (numbers, dates)
        )
        most = len(numbers) + len(dates)
        if count > most:
            raise InputError(
                f"--{split}_examples={count}: this split has only {most} numbers (to "
                f"{self.max_number}) and dates; ask for fewer or raise --max_number"
            )
        # The k least of Exp(1)/weight are k draws without replacement
        # (Efraimidis & Spirakis 2006).
        drawn = self._exponential(numbers, 1)
        # Those of weight ∞ come first, in the order drawn.
        first = numbers[np.lexsort((drawn, drawn * _rarity(numbers)))]
        second = dates[np.argsort(self._exponential(dates, 1))]
        half = max(count - count // 2, count - len(second))
        chosen = first[:half]
        chosen = np.concatenate([chosen, second[: count - len(chosen)]])
        return chosen[np.argsort(self._exponential(chosen, 2))].tolist()

    def _exponential(self, ids: np.ndarray, stream: int) -> np.ndarray:
        """Exp(1) variates, a function of (seed, stream, id)."""
        key = _splitmix64(_splitmix64(np.array([self.seed], np.uint64)) + stream)
        uniform = (_splitmix64(ids ^ key) >> np.uint64(11)).astype(np.float64) + 0.5
        return -np.log(uniform / 2.0**53)


def _splitmix64(values: np.ndarray) -> np.ndarray:
    """Steele, Lea & Flood's mixing function of uint64 (OOPSLA 2014), elementwise."""
    mixed = values + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))


def _held_out(ids: np.ndarray) -> np.ndarray:
    return (_splitmix64(ids) % np.uint64(10) == 0) & (ids >= _ALWAYS_TRAIN)


def _rarity(numbers: np.ndarray) -> np.ndarray:
    """1 / weight: n, or 0 for the numbers that are all taken."""
    return np.where(numbers < _ALL_OF, 0.0, numbers.astype(np.float64))


def _in_words(number: int) -> tuple[str, str]:
    """The (English, French) words of the number or date with this id."""
    from babel.dates import format_date
    from num2words import num2words

    if number >= _DATES:
        day = datetime.date.fromordinal(number - _DATES)
        english, french = (format_date(day, "long", locale=x) for x in ("en", "fr"))
    else:
        english, french = (num2words(number, lang=x) for x in ("en", "fr"))
    return english, french
