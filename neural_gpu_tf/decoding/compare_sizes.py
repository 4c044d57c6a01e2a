"""Probability of the output on each canvas size, to fit a size predictor to."""

import dataclasses
from typing import NamedTuple

from keras import ops

from neural_gpu_tf.constants import EOS, PAD
from neural_gpu_tf.decoding.contract import DecodableModel
from neural_gpu_tf.decoding.size_search import candidate_sizes, decode_sizes
from neural_gpu_tf.options import DecodingConfig
from neural_gpu_tf.types import Tensor

_NEVER = float("-inf")


class ComparedSizes(NamedTuple):
    """How the outputs on the sizes |source|, |source| + 1, … of each source compare."""

    share: Tensor  # float32 [batch, candidates]: q(n); 0 where there is no such size
    agrees: Tensor  # bool [batch, candidates]: its output is that of the likeliest one


def compare_sizes(
    model: DecodableModel, source: Tensor, length: Tensor, config: DecodingConfig
) -> ComparedSizes:
    """Decodes each source, greedily, on all sizes, and tells how they compare.

        q(n) = p(ŷ_n | source, n) / Σ_n' p(ŷ_n' | source, n')

    where ŷ_n is the output on the canvas of n columns. Outputs that did not end with
    EOS count only if none did, as in the search (`n_best_search`), whose answer is that
    of the largest q, of equals the smallest n.

    Args:
        model, source, length: see `n_best_search`.
        config: the decoding options; all sizes are tried, with a beam of 1.
    """
    greedily = dataclasses.replace(
        config,
        sizes="all",
        beam=1,
        n_best=1,
        length_penalty=0.0,
        coverage_penalty=0.0,
    )
    sizes = candidate_sizes(length, greedily)
    decoded = decode_sizes(model, source, sizes, greedily)
    there = sizes > 0
    finished = ops.logical_and(decoded.finished, there)
    none = ops.logical_not(ops.any(finished, axis=1, keepdims=True))
    counts = ops.logical_and(there, ops.logical_or(finished, none))
    log_p = ops.where(counts, decoded.log_probability, _NEVER)
    most = ops.maximum(ops.max(log_p, axis=1, keepdims=True, initial=_NEVER), -1e30)
    p = ops.exp(log_p - most)
    share = p / ops.maximum(ops.sum(p, axis=1, keepdims=True), 1e-30)
    # An output that fills its canvas is the same as one that ends with EOS.
    texts = ops.where(decoded.symbols == EOS, PAD, decoded.symbols)
    best = ops.argmax(log_p, axis=1)[:, None, None]
    same = ops.all(texts == ops.take_along_axis(texts, best, axis=1), axis=-1)
    return ComparedSizes(share, ops.logical_and(same, there))
