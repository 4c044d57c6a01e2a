"""Sampling of outputs, with temperature, top-k and top-p."""

import dataclasses
from collections.abc import Callable

from keras import ops

from neural_gpu_tf.decoding.contract import DecodableModel
from neural_gpu_tf.decoding.decoded import Decoded
from neural_gpu_tf.decoding.greedy import free_running
from neural_gpu_tf.decoding.packs import decode_in_packs
from neural_gpu_tf.decoding.size_predictor import SizePredictor
from neural_gpu_tf.decoding.size_search import (
    candidate_sizes,
    on_columns,
    size_search,
)
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.options import DecodingConfig, SamplingConfig
from neural_gpu_tf.types import Tensor

_COLDEST = 1e-30  # float32 takes 1e-40 for 0


def sample(
    model: DecodableModel,
    source: Tensor,
    size: Tensor,
    uniform: Tensor,
    config: SamplingConfig,
) -> Decoded:
    """Decodes each canvas, drawing a symbol at every step.

        o_t ~ q(v | o_0 … o_{t-1}, source)

        q(v) ∝ p(v)^(1/T)  for v in V,  0 for all others

    V is what is left of all symbols but PAD and GO when, by falling probability, only
    the `top_k` first are taken (Fan et al. 2018, "Hierarchical Neural Story
    Generation", §5.2), and of these the fewest whose probability together, p^(1/T)
    normalized, is at least `top_p` (Holtzman et al. 2020, "The Curious Case of Neural
    Text Degeneration", §3.1). Of equally likely symbols the lower is first.

    The log-probability is the model's own, Σ log p(o_t), as in `greedy`.

    Args:
        model, source, size: see `free_running`.
        uniform: what each symbol is drawn with, [h, n] in [0, 1): symbol t is the
            first up to and with which q has more than uniform[:, t], by falling
            probability, or by number if V is all symbols. Even and independent numbers
            draw from q.
        config: T = `temperature`, `top_k` and `top_p`.

    Raises:
        InputError: `uniform` and source have other shapes.
    """
    uniform = ops.cast(uniform, "float32")
    source = ops.convert_to_tensor(source)
    _check_shapes(tuple(uniform.shape), tuple(source.shape))

    def drawn(output: Tensor, t: Tensor) -> tuple[Tensor, Tensor]:
        count = output.shape[-1]
        kept = min(config.top_k or count, count)
        # At most 0, so that however small T is only -inf is beyond what floats hold.
        below = output - ops.max(output, axis=-1, keepdims=True)
        logits, index = below / max(config.temperature, _COLDEST), None
        if kept < count or config.top_p < 1:  # sorting takes most of the time
            logits, index = ops.top_k(logits, kept)
        q = ops.exp(logits - ops.logsumexp(logits, axis=-1, keepdims=True))
        if config.top_p < 1:
            before = ops.cumsum(q, axis=-1) - q
            q = ops.where(before < config.top_p, q, 0.0)
        up_to = ops.cumsum(q, axis=-1)
        least = ops.take(uniform, t, axis=1)[:, None] * up_to[:, -1:]
        place = ops.sum(ops.cast(up_to <= least, "int32"), axis=-1, keepdims=True)
        likely = ops.where(q > 0, ops.arange(kept, dtype="int32"), 0)
        last = ops.max(likely, axis=-1, keepdims=True)
        place = ops.minimum(place, last)  # rounding
        index = place if index is None else ops.take_along_axis(index, place, axis=1)
        return index[:, 0], ops.take_along_axis(output, index, axis=1)[:, 0]

    return free_running(model, source, size, drawn)


def _check_shapes(uniform: tuple, source: tuple) -> None:
    pairs = zip(uniform, source, strict=False)
    if len(uniform) != 2 or any(None not in x and x[0] != x[1] for x in pairs):
        raise InputError(f"uniform has the shape {uniform}, not {source} as source")


def sample_search(
    model: DecodableModel,
    source: Tensor,
    length: Tensor,
    uniform: Callable[[Tensor], Tensor],
    decoding: DecodingConfig,
    config: SamplingConfig,
    size_predictor: SizePredictor | None = None,
) -> Decoded:
    """Draws an output for each source, on the canvas that greedy decoding finds best.

    (The likeliest of the outputs drawn on all canvases would not be a fair draw.) A
    model that depends on no size, `sized = False`, gets the largest canvas.

    Args:
        model, source, length: see `n_best_search`.
        uniform: called with n, gives the numbers to draw with, float32 [batch, n].
        decoding: which canvases there are, and how many are decoded at a time.
        config: the sampling options.
        size_predictor: for `decoding.sizes` = predicted.
    """
    greedily = dataclasses.replace(
        decoding, beam=1, n_best=1, length_penalty=0.0, coverage_penalty=0.0
    )
    if model.sized:
        sizes = size_search(model, source, length, greedily, size_predictor).size
        # Where greedy decoding, under a constraint, has no output, the smallest.
        least = candidate_sizes(length, greedily, sized=True)[:, 0]
        sizes = ops.where(sizes > 0, sizes, least)
    else:
        sizes = candidate_sizes(length, greedily, sized=False)[:, 0]
    columns = ops.max(sizes, initial=0)
    source = on_columns(source, columns)
    numbers = uniform(columns)

    def decode(which: Tensor, size: Tensor, widest: Tensor) -> Decoded:
        return sample(
            model,
            ops.take(source, which, axis=0)[:, :widest],
            size,
            ops.take(numbers, which, axis=0),
            config,
        ).as_n_best()

    return decode_in_packs(decode, sizes, columns, decoding.decode_cells).best
