"""Sources of sentence pairs."""

import os
from collections.abc import Iterator, Sequence
from typing import Protocol

import tensorflow as tf

from neural_gpu_tf.configuration import check_choice
from neural_gpu_tf.data.numbers_and_dates import NumbersAndDates
from neural_gpu_tf.data.sequence_copy import SequenceCopy
from neural_gpu_tf.data.text_files import TextFiles
from neural_gpu_tf.data.tfds_pairs import TfdsPairs
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.options import DataConfig

SPLITS = ("train", "validation")


class Pairs(Protocol):
    """Sentence pairs in splits."""

    def dataset(self, split: str) -> tf.data.Dataset:
        """(source, target), string scalars; every pass gives the same order."""


class Source(Pairs, Protocol):
    """Sentence pairs in splits named "train" and "validation"."""

    def sentences(self, split: str) -> Iterator[str]:
        """Every sentence of both languages, for building a vocabulary."""

    def fingerprints(self) -> dict[str, str]:
        """What tells whether data that options do not determine are the same, by name.

        Of files a hash of their contents; empty where all is drawn from a seed.
        """

    def describe(self, split: str) -> str:
        """Which pairs a split has, for the log."""


def open_source(config: DataConfig, splits: Sequence[str] = SPLITS) -> Source:
    """Opens and checks the source that a configuration names.

    Args:
        config: the data options.
        splits: those that the caller will read; no other one is checked.

    Raises:
        InputError: the data are missing or wrong; the message says where.
    """
    for split in splits:
        check_choice("split", split, SPLITS)
    if config.data == "numbers_and_dates":
        return NumbersAndDates(
            train_examples=config.train_examples,
            validation_examples=config.validation_examples,
            max_number=config.max_number,
            seed=config.seed,
        )
    if config.data == "sequence_copy":
        return SequenceCopy(
            train_examples=config.train_examples,
            validation_examples=config.validation_examples,
            longest=config.longest_sequence,
            seed=config.seed,
        )
    if config.data == "tfds":
        names = {"train": config.train_split, "validation": config.validation_split}
        return TfdsPairs(
            config.tfds_name,
            source_language=config.source_language,
            target_language=config.target_language,
            splits={split: names[split] for split in splits},
            data_dir=config.data_dir,
        )
    return TextFiles({split: _file_names(config, split) for split in splits})


def _file_names(config: DataConfig, split: str) -> tuple[str, str]:
    """The two files of a split; raises InputError if one is not set."""
    names = []
    for side in ("source", "target"):
        name = getattr(config, f"{split}_{side}")
        if not name:
            raise InputError(
                f"{split}_{side}='': not set; name the {split} file (data=files)"
            )
        names.append(os.path.join(config.data_dir, name))
    return names[0], names[1]
