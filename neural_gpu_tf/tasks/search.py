"""The task of looking up a key in a dictionary."""

import dataclasses
from collections.abc import Sequence

import numpy as np

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.tasks.list_task import ListTask


@dataclasses.dataclass(frozen=True)
class Search(ListTask):
    """The value of the first pair with the key that stands last (`search`).

        column   0 1 2 3 4 5 6
        source   b 3 a 1 b 2 b
        target   3 . . . . . .        blank where no pair has the key

    k pairs and the key lie on a canvas of 2k + 1 columns. Hard inputs take turns: no
    pair has the key, only the first has it, only the last, all have it, and the key
    stands among the values alone.
    """

    word = 2  # a pair

    def columns(self, bits: int) -> int:
        return 2 * bits + 1

    def elements(self, length: int) -> int:
        return (length - 1) // 2 * 2 + 1

    def spec(self, symbols: Sequence[int]) -> Sequence[int]:
        pairs = zip(symbols[0:-1:2], symbols[1::2], strict=True)
        return next(([value] for key, value in pairs if key == symbols[-1]), [])

    def read(self, text: str) -> bytes:
        row = super().read(text)
        if len(row) < 3 or len(row) % 2 == 0:
            raise InputError(
                f"{self.name}: {text!r} has {len(row)} symbols; it takes pairs, a key "
                'and a value each, then one key: "b3 a1 b"'
            )
        return row

    def hard_row(
        self, rng: np.random.Generator, bits: int, index: int, batch: int
    ) -> bytes:
        row = np.frombuffer(self._any(rng, 2 * bits + 1), np.uint8).copy()
        keys, key, kind = row[0:-1:2], row[-1], index % 5
        keys[keys == key] = key % self.values + 1
        if kind == 4:
            row[1::2] = key
        else:
            keys[[slice(0), slice(1), slice(-1, None), slice(None)][kind]] = key
        return row.tobytes()

    def format(self, source: np.ndarray) -> str:
        text = super().format(source)
        return " ".join(text[start : start + 2] for start in range(0, len(text), 2))
