"""Base of algorithmic tasks: exact answers, generators of examples, symbols."""

import abc
import dataclasses
from typing import Any

import numpy as np

from neural_gpu_tf.configuration import whole_number
from neural_gpu_tf.constants import PAD
from neural_gpu_tf.errors import InputError


@dataclasses.dataclass(frozen=True)
class Task(abc.ABC):
    """Base class of algorithmic tasks: generates examples and computes exact answers.

    A *source* is a row of symbols, a *target* the row that answers it. Both lie on
    a canvas of n columns, one symbol a column, PAD (0, the blank cell) behind the
    last one:

        column   0 1 2 3 4 5 6
        source   1 0 1 + 1 1 0        101 + 011, least significant digit first
        target   0 0 0 1 0 0 0        1000

    n follows from the source alone (`size`), never from the target. All n columns
    of the target count, the blank ones too. `length` means the number of canvas
    columns everywhere, as the Neural GPU papers count; `bits` means what one
    operand holds: digits of a number, symbols of a list, pairs of a dictionary.
    `canvas` takes `bits` to `length`.

    With `blank_columns` more columns, PAD in source and target, follow every problem,
    so that the memory has more steps for it than the problem has columns.

    A subclass works on single rows, as `bytes`, and knows no blank columns: `columns`,
    `spec`, `read`, `draw`, `hard_row` and `solve`. To change a choice, replace a field:
    `dataclasses.replace(TASKS["badd"], balanced=False)`.

    Attributes:
        name: the task's name, for messages.
        blank_columns: share of a problem's columns that follow it blank, rounded up.
    """

    name: str
    blank_columns: float = dataclasses.field(default=0.0, kw_only=True)

    @property
    @abc.abstractmethod
    def symbols(self) -> tuple[str, ...]:
        """The name of each symbol; `symbols[0]` is PAD's."""

    @property
    def vocabulary_size(self) -> int:
        """The number of symbols, PAD included; source and target share them."""
        return len(self.symbols)

    @property
    def minimum_length(self) -> int:
        """The columns of the shortest example."""
        return self.canvas(1)

    @abc.abstractmethod
    def columns(self, bits: int) -> int:
        """The columns of a problem whose operands have `bits` symbols."""

    @abc.abstractmethod
    def spec(self, *operands: Any) -> Any:
        """The answer, on plain Python values."""

    @abc.abstractmethod
    def read(self, text: str) -> bytes:
        """Human text to a source row without PAD; raises InputError."""

    @abc.abstractmethod
    def draw(self, rng: np.random.Generator, length: int) -> bytes:
        """A random source row, without PAD, that fits a canvas of `length`."""

    @abc.abstractmethod
    def hard_row(
        self, rng: np.random.Generator, bits: int, index: int, batch: int
    ) -> bytes:
        """The `index`-th of `batch` hard source rows with operands of `bits`."""

    @abc.abstractmethod
    def solve(self, row: bytes) -> bytes:
        """The target of a source row without PAD; PAD behind it may be left out."""

    def extent(self, source: np.ndarray) -> np.ndarray:
        """The columns of each problem, from the source alone.

        Args:
            source: int [..., n].

        Returns:
            int32 [...].
        """
        return np.count_nonzero(source, axis=-1).astype(np.int32)

    def canvas(self, bits: int) -> int:
        """The canvas size of a problem whose operands have `bits` symbols."""
        return int(self.with_blank(self.columns(bits)))

    def size(self, source: np.ndarray) -> np.ndarray:
        """The canvas size of each source: int [..., n] to int32 [...]."""
        return self.with_blank(self.extent(source))

    def with_blank(self, columns: np.ndarray | int) -> np.ndarray:
        """Adds to numbers of columns the blank ones behind them, rounded up; int32."""
        blank = self.blank_columns * np.asarray(columns)
        # 0.07 · 100 in floats is a little more than 7.
        return np.asarray(columns + np.ceil(np.round(blank, 6)), np.int32)

    def target(self, source: np.ndarray) -> np.ndarray:
        """The exact target of each source: int [batch, n] to int32 [batch, n]."""
        rows = (row.rstrip(b"\0") for row in map(bytes, np.asarray(source, np.uint8)))
        return self._stack([self.solve(row) for row in rows], source.shape[1])

    def generate(
        self, rng: np.random.Generator, length: int, batch: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Random examples on canvases of at most `length` columns.

        Where no example has exactly `length` columns (two numbers of equal width
        and an operator need an odd one), the longest that fits is drawn, and the
        columns behind it are PAD in source and target.

        Args:
            rng: the only source of randomness.
            length: canvas columns.
            batch: the number of examples.

        Returns:
            source and target, both int32 [batch, length].

        Raises:
            InputError: no example is that short.
        """
        if length < self.minimum_length:
            raise InputError(
                f"{self.name}: no example of length {length}; the shortest has "
                f"{self.minimum_length} columns"
            )
        room = next(k for k in range(length, 0, -1) if self.with_blank(k) <= length)
        rows = [self.draw(rng, room) for _ in range(batch)]
        source = self._stack(rows, length)
        return source, self.target(source)

    def hard(
        self, rng: np.random.Generator, bits: int, batch: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Inputs that random ones hardly ever hit; the kinds take turns.

        Args:
            rng: the only source of randomness.
            bits: digits of each operand, symbols of the list, pairs.
            batch: the number of examples.

        Returns:
            source and target, both int32 [batch, canvas(bits)].

        Raises:
            InputError: `bits` is less than 1.
        """
        if bits < 1:
            raise InputError(f"{self.name}: operands of {bits} symbols; at least 1")
        rows = [self.hard_row(rng, bits, index, batch) for index in range(batch)]
        source = self._stack(rows, self.canvas(bits))
        return source, self.target(source)

    def questions(
        self, seed: int, bits: int, count: int, hard: bool
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The examples of `bits` that a seed stands for, as validation asks them.

        Args:
            seed: of the examples.
            bits: as for `hard`.
            count: the number of examples.
            hard: the hard inputs instead of random ones.

        Returns:
            source and target, int32 [count, n], and size, int32 [count].

        Raises:
            InputError: `bits` is less than 1, or `seed` than 0.
        """
        bits, seed = whole_number("bits", bits, 1), whole_number("seed", seed, 0)
        rng = np.random.default_rng([seed, bits, int(hard)])
        if hard:
            source, target = self.hard(rng, bits, count)
        else:
            source, target = self.generate(rng, self.canvas(bits), count)
        return source, target, self.size(source)

    def parse(self, text: str) -> np.ndarray:
        """Human text to one source, int32 [n], n being its canvas size.

        Raises:
            InputError: the text is no question of this task.
        """
        row = self.read(text)
        size = int(self.size(np.frombuffer(row, np.uint8)))
        return self._stack([row], size)[0]

    def format(self, source: np.ndarray) -> str:
        """One source, int [n], as `parse` reads it."""
        return self.format_target(source)

    def format_target(self, target: np.ndarray) -> str:
        """One target or model output, int [n], as human text; never raises."""
        names = self.symbols
        text = "".join(names[symbol] for symbol in target)
        return text.strip(names[PAD]) or names[PAD]

    def answer(self, text: str) -> str:
        """The exact answer to a question in human text; raises InputError."""
        return self.format_target(self.target(self.parse(text)[None])[0])

    def _stack(self, rows: list[bytes], length: int) -> np.ndarray:
        """Rows, padded with PAD, as int32 [len(rows), length]."""
        padded = b"".join(row.ljust(length, b"\0") for row in rows)
        table = np.frombuffer(padded, np.uint8).reshape(len(rows), length)
        return table.astype(np.int32)
