"""Result type of all searches."""

from typing import NamedTuple

from keras import ops

from neural_gpu_tf.constants import PAD
from neural_gpu_tf.types import Tensor

_NEVER = float("-inf")


class Decoded(NamedTuple):
    """Decoded outputs, with their probability, score and canvas size.

    The leading axes, `…` below, are

        [h]         one output a canvas: `greedy`, `sample`
        [h, b]      the b best of each canvas, best first: `beam_search`
        [batch]     one output a source: `size_search`, `sample_search`
        [batch, b]  the b best of each source, best first: `n_best_search`

    If a canvas or a source has fewer than b outputs, the missing ones have no symbols
    and log-probability and score -inf.
    """

    symbols: Tensor  # int32 […, n]; PAD behind EOS
    log_probability: Tensor  # float32 […]; natural logarithm, EOS included
    finished: Tensor  # bool […]: whether EOS came within the canvas
    score: Tensor  # float32 […]: s(y), what outputs are ranked by; see `beam_search`
    size: Tensor  # int32 […]: columns of the canvas it came from; 0 where there is none

    @property
    def best(self) -> "Decoded":
        """The first of each canvas or source: […, b] → […]."""
        return Decoded(*(x[:, 0] for x in self))

    def as_n_best(self) -> "Decoded":
        """As the best of one: [h] → [h, 1]; the inverse of `best`."""
        return Decoded(*(ops.expand_dims(x, 1) for x in self))

    def take(self, index: Tensor) -> "Decoded":
        """The outputs of some ranks: [h, x] and an index, int32 [h, y] → [h, y]."""
        return Decoded(*(take_rows(x, index) for x in self))

    def only_where(self, there: Tensor) -> "Decoded":
        """These where `there`, bool […], is true; elsewhere no output."""
        nothing = Decoded(PAD, _NEVER, False, _NEVER, 0)
        conditions = Decoded(ops.expand_dims(there, -1), *[there] * 4)
        triples = zip(conditions, self, nothing, strict=True)
        return Decoded(*(ops.where(*triple) for triple in triples))


def take_rows(values: Tensor, index: Tensor) -> Tensor:
    """values [h, x, …], index [h, y] → values[i, index[i, j], …], [h, y, …]."""
    canvases, count, *rest = ops.shape(values)
    flat = ops.reshape(values, (canvases * count, *rest))
    taken = ops.take(flat, flat_index(index, count), axis=0)
    return ops.reshape(taken, (canvases, index.shape[1], *rest))


def flat_index(index: Tensor, rows: Tensor | int) -> Tensor:
    """Index [h, x] among `rows` rows of each canvas → index [h x] among all rows."""
    first = rows * ops.arange(ops.shape(index)[0], dtype="int32")[:, None]
    return ops.reshape(index + first, (-1,))
