"""Batches of canvases of similar sizes, to pad little and bound memory."""

from collections.abc import Callable, Sequence
from functools import partial

from keras import ops

from neural_gpu_tf.decoding.decoded import Decoded
from neural_gpu_tf.types import Tensor

Work = Callable[[Tensor, Tensor, Tensor], Sequence[Tensor]]
Decode = Callable[[Tensor, Tensor, Tensor], Decoded]


def in_packs(
    work: Work,
    size: Tensor,
    cells: int | None,
    answers: Sequence[Tensor],
    similar: bool = False,
) -> tuple[Tensor, ...]:
    """Works on canvases, sorted by size, in packs of about `cells` columns.

    So little is padded, and memory is bounded, whatever comes at once:

        sizes of two sources           packs (cells = 16)
        2 3 4 | 3 4 5 6                6 5 | 4 4 3 3 | 2

    Args:
        work: `work(which [p], size [p], widest) -> tensors [p, …]`: works on the
            canvases `which`, int32, of increasing `size`, on `widest` columns, the last
            size.
        size: n_b of all canvases, int32 [h]; one of size 0 is not worked on.
        cells: of a pack, at most, unless a single canvas has more. None: all are one
            pack, in the order of `size`, and there is no loop; canvases of size 0 are
            worked on too, as if of size 1, for nothing.
        answers: what stands in the place of each tensor of `work` for all canvases,
            [h, …], numbers; canvases of size 0 keep it.
        similar: a pack has none that is less than half as wide as its widest. So
            canvases that take a step a column, n² in all, cost at most four times what
            they would alone.

    Returns:
        The tensors of all canvases, in the order of `size`.
    """
    canvases = ops.shape(size)[0]
    if cells is None:
        every = ops.arange(canvases, dtype="int32")
        found = work(every, ops.maximum(size, 1), ops.max(size, initial=1))
        return tuple(map(partial(_where, size > 0), found, answers))
    order = ops.argsort(size)
    in_order = ops.take(size, order, axis=0)
    none = ops.sum(ops.cast(size == 0, "int32"))  # they come first

    def more(end: Tensor, _: tuple[Tensor, ...]) -> Tensor:
        return end > none

    def pack_before(end: Tensor, answers: tuple[Tensor, ...]) -> tuple:
        """Works on the largest of the sizes in_order[:end]."""
        widest = in_order[end - 1]
        begin = end - ops.clip(cells // widest, 1, end - none)
        if similar:
            narrow = ops.sum(ops.cast(2 * in_order < widest, "int32"))
            begin = ops.maximum(begin, narrow)
        pack = order[begin:end]
        found = work(pack, in_order[begin:end], widest)
        where = pack[:, None]
        return begin, tuple(
            ops.scatter_update(all_of_them, where, values)
            for all_of_them, values in zip(answers, found, strict=True)
        )

    return ops.while_loop(more, pack_before, (canvases, tuple(answers)))[1]


def decode_in_packs(
    decode: Decode,
    size: Tensor,
    columns: Tensor | int,
    cells: int | None,
    n_best: int = 1,
) -> Decoded:
    """Decodes canvases in packs of about `cells` columns; see `in_packs`.

    Args:
        decode: `decode(which [p], size [p], widest) -> outputs [p, b]`: decodes the
            canvases `which`, int32, of increasing `size`, on `widest` columns, the last
            size.
        size: n_b of all canvases, int32 [h]; one of size 0 is not decoded and has
            empty outputs of log-probability 0.
        columns: n ≥ every n_b, of the answer; at least 1 if `cells` is None.
        cells: see `in_packs`.
        n_best: b, how many outputs a canvas has.

    Returns:
        The outputs of all canvases, [h, b], in the order of `size`; of each the size is
        n_b, but 0 where there is none.
    """
    canvases = ops.shape(size)[0]
    nothing = (
        ops.zeros((canvases, n_best, columns), dtype="int32"),
        ops.zeros((canvases, n_best), dtype="float32"),
        ops.zeros((canvases, n_best), dtype="int32"),
        ops.zeros((canvases, n_best), dtype="float32"),
    )

    def decode_pack(which: Tensor, sizes: Tensor, widest: Tensor) -> tuple:
        some = decode(which, sizes, widest)
        right = [[0, 0], [0, 0], [0, columns - widest]]
        finished = ops.cast(some.finished, "int32")
        return ops.pad(some.symbols, right), some.log_probability, finished, some.score

    symbols, log_p, finished, score = in_packs(decode_pack, size, cells, nothing)
    there = log_p > float("-inf")
    sizes = ops.where(there, ops.repeat(size[:, None], n_best, axis=1), 0)
    return Decoded(symbols, log_p, finished > 0, score, sizes)


def _where(there: Tensor, found: Tensor, answer: Tensor) -> Tensor:
    """What was found [h, …] where `there`, bool [h], is true; elsewhere the answer."""
    shape = (-1, *[1] * (len(found.shape) - 1))
    return ops.where(ops.reshape(there, shape), found, answer)
