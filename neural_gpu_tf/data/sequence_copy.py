"""Random sequences to be copied: how far back can a model look?"""

from collections.abc import Iterator

import numpy as np
import tensorflow as tf

from neural_gpu_tf.configuration import check_choice, check_seed, whole_number

# Of two letters each: the tokenizer keeps them as words, and joins none.
WORDS = tuple(first + second for first in "bdkt" for second in "aeiou")
_SPLITS = ("train", "validation")


class SequenceCopy:
    """Generated pairs: a sequence of words, and the same again.

        ka ta bo ka de          ka ta bo ka de

    The length of each is uniform between 1 and `longest`, each of its symbols uniform
    among 20 words, for each split from a seed of its own. (Britz, Guan & Luong
    2017, §4.1, with 100,000 sequences for training and 1,000 for validation. They
    begin at length 0; an empty source is no pair here.) Very short sequences occur in
    both splits, as there are only a few of them.

    Args:
        train_examples: pairs in "train".
        validation_examples: pairs in "validation".
        longest: L, symbols of the longest sequence.
        seed: of both splits.

    Raises:
        InputError: a count is less than 1, or `seed` is no seed.
    """

    def __init__(
        self,
        *,
        train_examples: int,
        validation_examples: int,
        longest: int,
        seed: int = 0,
    ) -> None:
        check_seed("seed", seed)
        self.train_examples = whole_number("train_examples", train_examples, 1)
        self.validation_examples = whole_number(
            "validation_examples", validation_examples, 1
        )
        self.longest = whole_number("longest", longest, 1)
        self.seed = seed

    def dataset(self, split: str) -> tf.data.Dataset:
        """(source, target), string scalars, always in the same order."""
        sequences = list(self.sequences(split))
        return tf.data.Dataset.from_tensor_slices((sequences, sequences))

    def fingerprints(self) -> dict[str, str]:
        """Empty: there are no files, all is drawn from the seed."""
        return {}

    def describe(self, split: str) -> str:
        """Which pairs a split has, for the log."""
        check_choice("split", split, _SPLITS)
        count = getattr(self, f"{split}_examples")
        return f"{count:,} generated pairs, sequences to copy"

    def sentences(self, split: str) -> Iterator[str]:
        """Every sequence, twice: as source and as target."""
        for sequence in self.sequences(split):
            yield sequence
            yield sequence

    def sequences(self, split: str) -> Iterator[str]:
        """The sequences of a split, as text."""
        check_choice("split", split, _SPLITS)
        rng = np.random.default_rng([self.seed, _SPLITS.index(split)])
        words = np.array(WORDS)
        for length in rng.integers(
            1, self.longest, getattr(self, f"{split}_examples"), endpoint=True
        ):
            yield " ".join(words[rng.integers(len(words), size=length)])
