"""Greedy decoding on canvases of every size."""

from typing import Any, NamedTuple

from keras import ops

from neural_gpu_tf.decoding.config import DecodingConfig
from neural_gpu_tf.decoding.greedy import greedy

Tensor = Any


class Decoded(NamedTuple):
    """The most likely output of each source."""

    symbols: Tensor  # int32 [batch, n]; PAD behind EOS
    log_probability: Tensor  # float32 [batch]
    size: Tensor  # int32 [batch]: of the canvas it came from; 0 for an empty source


def size_search(
    model: Any, source: Tensor, length: Tensor, config: DecodingConfig
) -> Decoded:
    """Decodes each source on canvases of many sizes; the most likely output wins.

    The size of the output is not known, so every size from |source| to 2 |source| is
    tried (Kaiser & Bengio 2016, "Can Active Memory Replace Attention?", §3); see
    `DecodingConfig` for others. An output that did not end with EOS within its canvas
    wins only if none did. Of equally likely outputs that of the smallest canvas wins.

    The canvases of all sources are hypotheses alike. Sorted by size, they are decoded
    in packs of about `config.decode_cells` columns, so that little is padded:

        sizes of two sources           packs (decode_cells = 16)
        2 3 4 | 3 4 5 6                6 5 | 4 4 3 3 | 2

    What comes out for a source does not depend on the batch. An empty source has the
    empty output, log-probability 0, without a call of the model.

    Shapes within depend on `length`, so under JAX this can't be jitted.

    Args:
        model: see `greedy`.
        source: symbols [batch, n], PAD behind the source.
        length: |source|, int [batch].
        config: the decoding options.
    """
    sizes = candidate_sizes(length, config)
    batch, candidates = ops.shape(sizes)
    columns = ops.max(sizes, initial=0)
    source = ops.pad(source, [[0, 0], [0, columns]])[:, :columns]
    sizes = ops.reshape(sizes, (-1,))
    order = ops.argsort(sizes)
    in_order = ops.take(sizes, order, axis=0)
    none = ops.sum(ops.cast(sizes == 0, "int32"))  # they come first

    def more(end: Tensor, *_: Tensor) -> Tensor:
        return end > none

    def decode_pack(
        end: Tensor, symbols: Tensor, log_probability: Tensor, finished: Tensor
    ) -> tuple:
        """Decodes the largest of the sizes in_order[:end]."""
        widest = in_order[end - 1]
        begin = end - ops.clip(config.decode_cells // widest, 1, end - none)
        pack = order[begin:end]
        some = greedy(
            model,
            ops.take(source, pack // candidates, axis=0)[:, :widest],
            in_order[begin:end],
        )
        padded = ops.pad(some.symbols, [[0, 0], [0, columns - widest]])
        where = pack[:, None]
        return (
            begin,
            ops.scatter_update(symbols, where, padded),
            ops.scatter_update(log_probability, where, some.log_probability),
            ops.scatter_update(finished, where, ops.cast(some.finished, "int32")),
        )

    _, symbols, log_probability, finished = ops.while_loop(
        more,
        decode_pack,
        (
            batch * candidates,
            ops.zeros((batch * candidates, columns), dtype="int32"),
            ops.zeros_like(sizes, dtype="float32"),
            ops.zeros_like(sizes),
        ),
    )

    def by_source(values: Tensor) -> Tensor:
        return ops.reshape(values, (batch, candidates))

    finished = by_source(finished) > 0
    none_finished = ops.logical_not(ops.any(finished, axis=1, keepdims=True))
    eligible = ops.logical_and(
        by_source(sizes) > 0, ops.logical_or(finished, none_finished)
    )
    score = ops.where(eligible, by_source(log_probability), float("-inf"))
    best = ops.cast(ops.argmax(score, axis=1), "int32")
    best = best + candidates * ops.arange(batch, dtype="int32")
    return Decoded(
        *(ops.take(x, best, axis=0) for x in (symbols, log_probability, sizes))
    )


def candidate_sizes(length: Tensor, config: DecodingConfig) -> Tensor:
    """The canvas sizes to try, increasing.

    Args:
        length: |source|, int [batch].
        config: the decoding options.

    Returns:
        int32 [batch, candidates], 0 behind the last; only 0 for an empty source.
    """
    least = ops.cast(length, "int32")[:, None]
    most = ops.floor(config.max_size_ratio * ops.cast(least, "float32"))
    span = ops.cast(most, "int32") + config.size_margin - least
    count = span + 1
    if config.sizes != "all":
        count = ops.minimum(count, int(config.sizes))
    count = ops.where(least > 0, count, 0)
    index = ops.arange(ops.max(count, initial=1), dtype="int32")[None, :]
    gaps = ops.maximum(count - 1, 1)
    sizes = least + (index * span + gaps // 2) // gaps
    return ops.where(index < count, sizes, 0)
