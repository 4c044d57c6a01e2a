"""What to train on, and how batches are made of it."""

import dataclasses
import math

from neural_gpu_tf.configuration import (
    check_at_least,
    check_options,
    check_seed,
    option,
)
from neural_gpu_tf.errors import InputError


@dataclasses.dataclass(frozen=True)
class DataConfig:
    """The data options; each field's help text is its documentation.

    Raises:
        InputError: a value is not legal; the message names the option.
    """

    data: str = option(
        "numbers_and_dates",
        "where sentence pairs come from: text files, a TensorFlow Datasets "
        "translation set, or generated: numbers and dates in words, or sequences to "
        "copy",
        choices=("files", "tfds", "numbers_and_dates", "sequence_copy"),
    )
    data_dir: str = option(
        "",
        "folder that relative file names are taken from (files); folder of the "
        "prepared sets, empty for TFDS's own default (tfds)",
    )
    train_source: str = option(
        "",
        "training sentences to translate, plain or .gz; of several files a pattern, "
        "e.g. 'train-*.en.gz'",
    )
    train_target: str = option(
        "", "translations of --train_source, line by line, plain or .gz"
    )
    validation_source: str = option("", "validation sentences, plain or .gz")
    validation_target: str = option(
        "", "translations of --validation_source, plain or .gz"
    )
    tfds_name: str = option(
        "", "TensorFlow Datasets translation set, e.g. wmt14_translate/fr-en"
    )
    source_language: str = option("en", "language to translate from (tfds)")
    target_language: str = option("fr", "language to translate into (tfds)")
    train_split: str = option("train", "TFDS split to train on, e.g. train[:10%]")
    validation_split: str = option("validation", "TFDS split to validate on")
    train_examples: int = option(20_000, "training pairs (generated data)")
    validation_examples: int = option(1_000, "held-out pairs (generated data)")
    max_number: int = option(999_999, "greatest number (numbers_and_dates)")
    longest_sequence: int = option(
        50, "symbols of the longest sequence (sequence_copy)"
    )
    max_length: int = option(
        60, "largest canvas in training, symbols; longer pairs are skipped and counted"
    )
    extra_columns: int = option(
        0,
        "maximum number of extra canvas columns in training, drawn for each pair, so "
        "that the model does not take the canvas size for the length of the output",
    )
    batch_cells: int = option(
        40_000,
        "memory budget of one batch over all replicas, cells x steps: canvases of n "
        "symbols come batch_cells / n^2 at a time (at least one for each replica)",
    )
    max_batch_size: int = option(256, "most pairs in a batch, over all replicas")
    smallest_bucket: int = option(8, "smallest canvas, symbols")
    bucket_growth: float = option(1.25, "ratio of a bucket's size to the previous one")
    shuffle_buffer: int = option(
        200_000, "shuffle buffer size, pairs; best if it holds the whole training set"
    )
    seed: int = option(0, "seed of the order of pairs and of the generated pairs")

    def __post_init__(self) -> None:
        check_options(self)
        for name in (
            "train_examples",
            "validation_examples",
            "longest_sequence",
            "batch_cells",
            "max_batch_size",
            "smallest_bucket",
            "shuffle_buffer",
        ):
            check_at_least(name, getattr(self, name), 1)
        check_at_least("max_length", self.max_length, 2)
        check_at_least("extra_columns", self.extra_columns, 0)
        check_seed("seed", self.seed)
        check_at_least("max_number", self.max_number, 0)
        if self.max_number > 9_999_999:
            raise InputError(f"max_number={self.max_number}: at most 9999999")
        if not 1 < self.bucket_growth < math.inf:
            raise InputError(
                f"bucket_growth={self.bucket_growth}: must exceed 1, and be finite"
            )
