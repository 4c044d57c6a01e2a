"""Batches of prepared tokens, each of the shape of its bucket, for Keras `fit`."""

import os
from collections.abc import Iterator

import keras
import numpy as np

from neural_gpu_tf.constants import PAD
from neural_gpu_tf.errors import InputError

Batch = tuple[dict[str, np.ndarray], np.ndarray, np.ndarray]

NAMES = ("source", "target", "size")


class Tokens:
    """Batches, each of the shape of its bucket, from what prepare_tokens.py wrote.

    Args:
        path: tokens.npz.

    Raises:
        InputError: it is not there, or does not fill one batch.
    """

    def __init__(self, path: str | os.PathLike[str]):
        try:
            with np.load(path) as file:
                self.arrays = dict(file)
        except OSError as error:
            raise InputError(
                f"{path}: can't read it ({error.strerror}); write it with "
                "examples/prepare_tokens.py"
            ) from error
        self.buckets = [tuple(map(int, row)) for row in self.arrays["buckets"]]
        self.batches_in_a_pass = sum(
            self.pairs("train", n) // rows for n, rows in self.buckets
        )
        if not self.batches_in_a_pass:
            raise InputError(
                f"{path}: the training pairs do not fill one batch; prepare more, or "
                "with a lower --max_batch_size"
            )

    def pairs(self, split: str, n: int) -> int:
        """How many pairs of a split are in the bucket of n columns."""
        return len(self.arrays.get(f"{split}_{n}_size", ()))

    def training_batches(self, seed: int, step: int) -> Iterator[Batch]:
        """Full batches without end, from a step on.

        Each pass over the pairs has another order, a function of (seed, pass). What is
        left over in a bucket is left out, other pairs in each pass.
        """
        while True:
            number, done = divmod(step, self.batches_in_a_pass)
            rng = np.random.default_rng([seed, number])
            order = []
            for n, rows in self.buckets:
                chosen = rng.permutation(self.pairs("train", n))
                full = len(chosen) - len(chosen) % rows
                order += [(n, part) for part in chosen[:full].reshape(-1, rows)]
            for k in rng.permutation(len(order))[done:]:
                yield self.batch("train", *order[k])
                step += 1

    def batch(self, split: str, n: int, chosen: np.ndarray) -> Batch:
        """Inputs, target and which of its symbols count."""
        values = [self.arrays[f"{split}_{n}_{name}"][chosen] for name in NAMES]
        inputs = dict(zip(NAMES, (x.astype(np.int32) for x in values), strict=True))
        target = inputs["target"]
        return inputs, target, (target != PAD).astype(np.float32)


class Validation(keras.utils.PyDataset):
    """Every validation pair once; what fills up a batch does not count."""

    def __init__(self, tokens: Tokens):
        super().__init__()
        self.tokens = tokens
        self.batches = [
            (n, count, np.arange(first, first + rows))
            for n, rows in tokens.buckets
            for count in [tokens.pairs("validation", n)]
            for first in range(0, count, rows)
        ]

    def __len__(self) -> int:
        return len(self.batches)

    def __getitem__(self, index: int) -> Batch:
        n, count, rows = self.batches[index]
        inputs, target, counted = self.tokens.batch("validation", n, rows % count)
        return inputs, target, counted * (rows < count)[:, None]
