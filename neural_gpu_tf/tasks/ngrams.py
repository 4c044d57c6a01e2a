"""Dynamic N-grams: prediction of bits from a distribution drawn for each sequence."""

import dataclasses

import numpy as np

from neural_gpu_tf.constants import GO
from neural_gpu_tf.errors import InputError


@dataclasses.dataclass(frozen=True)
class DynamicNGrams:
    """Sequences of bits, each bit drawn by what the N - 1 bits before it are.

    For every sequence a new table gives P(B = 1 | c) of each of the 2^(N-1) contexts c,
    drawn from Beta(1/2, 1/2); the first N - 1 bits are drawn evenly. Who predicts the
    next bit of one sequence after the other has to count, in each, what came after
    each context (`estimates` says how well that can be done).

        bits      0 1 1 0 1 | 1 0 0 1 …      N = 6: the table is asked from here on
        symbols   2 3 3 2 3 | 3 2 2 3 …      0 is PAD, 1 GO

    There is no question and no one right answer, so this is no `Task`: a model says
    the sequence from an empty source, as a language model, and is measured by the bits
    that its predictions cost.

    Source: Graves, Wayne & Danihelka (2014), Neural Turing Machines, §4.4, with N = 6
    and 200 bits.

    Attributes:
        order: N.
        length: bits of a sequence.
    """

    order: int = 6
    length: int = 200

    def __post_init__(self) -> None:
        if not 1 <= self.order <= self.length:
            raise InputError(
                f"{self.order}-grams of {self.length} bits; at least 1-grams, and as "
                "many bits"
            )

    @property
    def vocabulary_size(self) -> int:
        """PAD, GO and the two bits."""
        return GO + 3

    def generate(self, rng: np.random.Generator, batch: int) -> np.ndarray:
        """Random sequences, each of a table of its own: bits, int32 [batch, length]."""
        table = rng.beta(0.5, 0.5, (batch, 2 ** (self.order - 1)))
        bits = rng.integers(0, 2, (batch, self.length), np.int32)
        chance = rng.random((batch, self.length))
        for t in range(self.order - 1, self.length):
            context = self._contexts(bits[:, :t])[:, -1]
            bits[:, t] = chance[:, t] < table[np.arange(batch), context]
        return bits

    def estimates(self, bits: np.ndarray) -> np.ndarray:
        """What the optimal estimator, which doesn't know the table, expects.

            P(B = 1 | N_1, N_0, c) = (N_1 + 1/2) / (N_1 + N_0 + 1)      (10)

        where N_1 and N_0 count the ones and zeros that came after the context c so far
        in this sequence; 1/2 for the first N - 1 bits. (Graves et al. 2014, eq. 10;
        Murphy 2012, §3.3.)

        Args:
            bits: int [batch, length].

        Returns:
            The probability of a 1 at each place, [batch, length].
        """
        chances = np.full(bits.shape, 0.5)
        rows = np.arange(len(bits))
        counts = np.zeros((len(bits), 2 ** (self.order - 1), 2))
        contexts = self._contexts(bits)
        for t in range(self.order - 1, bits.shape[1]):
            seen = counts[rows, contexts[:, t - self.order + 1]]
            chances[:, t] = (seen[:, 1] + 0.5) / (seen.sum(axis=1) + 1)
            counts[rows, contexts[:, t - self.order + 1], bits[:, t]] += 1
        return chances

    def cost(self, bits: np.ndarray, chances: np.ndarray) -> np.ndarray:
        """What a sequence costs: - Σ_t log2 P(b_t), bits; [batch].

        Args:
            bits: int [batch, length].
            chances: the probability of a 1 at each place, [batch, length].
        """
        return -np.log2(np.where(bits == 1, chances, 1 - chances)).sum(axis=1)

    def symbols(self, bits: np.ndarray) -> np.ndarray:
        """Bits as a model takes them, in any shape."""
        return bits + GO + 1

    def _contexts(self, bits: np.ndarray) -> np.ndarray:
        """The number that the N - 1 bits before each place make.

        Args:
            bits: int [batch, t].

        Returns:
            Of the places N - 1 … t, int [batch, t - N + 2].
        """
        size = self.order - 1
        windows = np.lib.stride_tricks.sliding_window_view(bits, size, axis=1)
        return windows @ (1 << np.arange(size))
