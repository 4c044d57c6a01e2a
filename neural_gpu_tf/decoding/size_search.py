"""Search over canvas sizes: decodes on many sizes, keeps the best outputs."""

from typing import Any

from keras import ops

from neural_gpu_tf.constants import EOS, INT32_MAX, PAD
from neural_gpu_tf.decoding.beam import beam_search
from neural_gpu_tf.decoding.contract import DecodableModel, as_canvases
from neural_gpu_tf.decoding.decoded import Decoded, take_rows
from neural_gpu_tf.decoding.greedy import greedy
from neural_gpu_tf.decoding.packs import decode_in_packs
from neural_gpu_tf.decoding.score import length_divisor
from neural_gpu_tf.decoding.size_predictor import SizePredictor
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.options import DecodingConfig
from neural_gpu_tf.types import Tensor

_NEVER = float("-inf")
_NO_SIZE = INT32_MAX


def size_search(
    model: DecodableModel,
    source: Tensor,
    length: Tensor,
    config: DecodingConfig,
    size_predictor: SizePredictor | None = None,
) -> Decoded:
    """The best output of each source over all sizes; see `n_best_search`."""
    return n_best_search(model, source, length, config, size_predictor).best


def n_best_search(
    model: DecodableModel,
    source: Tensor,
    length: Tensor,
    config: DecodingConfig,
    size_predictor: SizePredictor | None = None,
    at_once: bool = False,
) -> Decoded:
    """Decodes each source on canvases of many sizes; the best outputs win.

    The size of the output is not known, so every size from |source| to 2 |source| is
    tried (Kaiser & Bengio 2016, "Can Active Memory Replace Attention?", §3), or the
    likeliest of them by `size_predictor`; see `DecodingConfig` for others. A model
    whose output does not depend on the size of its canvas says so by an attribute
    `sized = False`; it gets the largest one alone.

    Each canvas is decoded with beam search (`config.beam` = 1: greedy decoding), and
    the best outputs over all canvases, by the score of `beam_search`, are returned.
    Outputs that did not end with EOS within their canvas rank behind all others. Ties
    go to the smallest canvas. An output found on several canvases is returned once,
    with its best score.

    The canvases of all sources are decoded together, in packs of about
    `config.decode_cells` columns of hypotheses (`decode_in_packs`). What comes out for
    a source does not depend on the batch. An empty source has the empty output,
    log-probability 0, without a call of the model.

    Shapes within depend on `length`, which JAX can't compile: for TensorFlow only.

    Args:
        model: see `greedy`.
        source: symbols [batch, n], PAD behind the source.
        length: |source|, int [batch].
        config: the decoding options.
        size_predictor: for `config.sizes` = predicted.
        at_once: all canvases, of one source at least, are decoded together, whatever
            `config.decode_cells` says: no loop around the decoding, which other formats
            of graphs can't nest.

    Returns:
        [batch, n_best].

    Raises:
        InputError: see `beam_search`; or there is no `size_predictor` where one is
            needed.
    """
    source, length = as_canvases(model, source, length)
    sizes = sizes_to_try(model, source, length, config, size_predictor, at_once)
    outputs = decode_sizes(model, source, sizes, config, at_once)
    return best_distinct(outputs, config.n_best)


def sizes_to_try(
    model: DecodableModel,
    source: Tensor,
    length: Tensor,
    config: DecodingConfig,
    size_predictor: SizePredictor | None = None,
    at_once: bool = False,
) -> Tensor:
    """The canvas sizes that `n_best_search` tries, increasing.

    Args:
        model, source, length, config, size_predictor, at_once: see `n_best_search`.

    Returns:
        int32 [batch, candidates], 0 behind the last; only 0 for an empty source.

    Raises:
        InputError: there is no `size_predictor` where one is needed.
    """
    if config.sizes != "predicted" or not model.sized:
        return candidate_sizes(length, config, model.sized)
    check_predictor(config, size_predictor)
    assert size_predictor is not None
    log_p = size_predictor(source, length, None if at_once else config.decode_cells)
    return likeliest_sizes(log_p, length, config)


def decode_sizes(
    model: DecodableModel,
    source: Tensor,
    sizes: Tensor,
    config: DecodingConfig,
    at_once: bool = False,
) -> Decoded:
    """Decodes each source on canvases of the sizes given.

    Args:
        model, source, config, at_once: see `n_best_search`.
        sizes: int32 [batch, candidates]; 0 for none.

    Returns:
        The `config.n_best` outputs of each canvas, side by side: [batch, candidates ·
        n_best, …]. Where there is no canvas stands an empty output.
    """
    batch, candidates = ops.shape(sizes)
    columns = ops.max(sizes, initial=1 if at_once else 0)
    source = on_columns(source, columns)

    def decode(which: Tensor, size: Tensor, widest: Tensor) -> Decoded:
        rows = ops.take(source, which // candidates, axis=0)[:, :widest]
        if config.beam == 1 and not config.coverage_penalty:
            decoded = greedy(model, rows, size)
            said = ops.sum(ops.cast(decoded.symbols != PAD, "int32"), axis=1)
            divisor = length_divisor(said, config.length_penalty)
            return decoded._replace(score=decoded.score / divisor).as_n_best()
        return beam_search(
            model,
            rows,
            size,
            config.beam,
            config.n_best,
            config.length_penalty,
            config.coverage_penalty,
        )

    decoded = decode_in_packs(
        decode,
        ops.reshape(sizes, (-1,)),
        columns,
        None if at_once else config.decode_cells // config.beam,
        config.n_best,
    )
    outputs = candidates * config.n_best
    return Decoded(
        *(ops.reshape(x, (batch, outputs, *ops.shape(x)[2:])) for x in decoded)
    )


def best_distinct(outputs: Decoded, count: int) -> Decoded:
    """The `count` best different outputs of each source, best first.

    Outputs without EOS come behind all others; of equal scores the first comes first.

    Args:
        outputs: [batch, x]; those of size 0 are no canvas's. If a source has none, its
            first, an empty one, is the best.
        count: how many; as long as fewer are different, there are none behind them.

    Returns:
        [batch, count].
    """
    remaining = ops.logical_and(outputs.size > 0, outputs.score > _NEVER)
    # An output that fills its canvas is the same as one that ends with EOS.
    texts = ops.where(outputs.symbols == EOS, PAD, outputs.symbols)
    best = _best_of(outputs, remaining)
    ranked = [outputs.take(best)]
    for _ in range(count - 1):
        same = ops.all(texts == take_rows(texts, best), axis=-1)
        remaining = ops.logical_and(remaining, ops.logical_not(same))
        best = _best_of(outputs, remaining)
        there = ops.any(remaining, axis=1, keepdims=True)
        ranked.append(outputs.take(best).only_where(there))
    return Decoded(*(ops.concatenate(x, axis=1) for x in zip(*ranked, strict=True)))


def _best_of(outputs: Decoded, remaining: Tensor) -> Tensor:
    """The index of the best that remains, of those with EOS if any; int32 [batch, 1].

    Args:
        outputs: [batch, x].
        remaining: which are looked at, bool [batch, x].
    """
    finished = ops.logical_and(remaining, outputs.finished)
    none = ops.logical_not(ops.any(finished, axis=1, keepdims=True))
    eligible = ops.logical_and(remaining, ops.logical_or(outputs.finished, none))
    _, best = ops.top_k(ops.where(eligible, outputs.score, _NEVER), 1)
    return ops.cast(best, "int32")


def candidate_sizes(
    length: Tensor, config: DecodingConfig, sized: bool = True
) -> Tensor:
    """The canvas sizes to try when none is predicted, increasing.

    Args:
        length: |source|, int [batch].
        config: the decoding options.
        sized: False for the largest one alone.

    Returns:
        int32 [batch, candidates], 0 behind the last; only 0 for an empty source.
    """
    least, span = _least_and_span(length, config)
    if not sized:
        return ops.where(least > 0, least + span, 0)
    count = span + 1
    if config.sizes.isdecimal():
        count = ops.minimum(count, int(config.sizes))
    count = ops.where(least > 0, count, 0)
    index = ops.arange(ops.max(count, initial=1), dtype="int32")[None, :]
    gaps = ops.maximum(count - 1, 1)
    sizes = least + (index * span + gaps // 2) // gaps
    return ops.where(index < count, sizes, 0)


def likeliest_sizes(log_p: Tensor, length: Tensor, config: DecodingConfig) -> Tensor:
    """The `config.tried_sizes` likeliest of all canvas sizes, increasing.

    Args:
        log_p: of the sizes |source|, |source| + 1, …, [batch, choices]; sizes beyond
            them are not tried.
        length: |source|, int [batch].
        config: the decoding options.

    Returns:
        As `candidate_sizes`. Of equally likely sizes the smaller is taken.
    """
    least, span = _least_and_span(length, config)
    choices = log_p.shape[-1]
    more = ops.arange(choices, dtype="int32")[None, :]
    legal = ops.logical_and(more <= span, least > 0)
    value, more = ops.top_k(
        ops.where(legal, log_p, _NEVER), min(config.tried_sizes, choices)
    )
    sizes = ops.where(value > _NEVER, least + ops.cast(more, "int32"), _NO_SIZE)
    sizes = ops.sort(sizes, axis=1)
    return ops.where(sizes < _NO_SIZE, sizes, 0)


def check_predictor(config: DecodingConfig, size_predictor: Any) -> None:
    """Raises InputError if sizes are to be predicted by nothing."""
    if config.sizes == "predicted" and size_predictor is None:
        raise InputError(
            "sizes=predicted: there is no size predictor; make one of a trained run "
            "with neural-gpu-fit-sizes"
        )


def _least_and_span(length: Tensor, config: DecodingConfig) -> tuple[Tensor, Tensor]:
    """|source|, and how many columns more the largest canvas has; int32 [batch, 1]."""
    least = ops.cast(length, "int32")[:, None]
    return least, config.largest_size(least) - least


def on_columns(source: Tensor, columns: Tensor | int) -> Tensor:
    """Symbols [batch, n] cut or padded with PAD to [batch, columns]."""
    return ops.pad(source, [[0, 0], [0, columns]])[:, :columns]
