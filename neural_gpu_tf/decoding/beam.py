"""Beam search."""

from typing import Any, NamedTuple

import keras
from keras import ops

from neural_gpu_tf.constants import EOS, GO, PAD
from neural_gpu_tf.decoding.contract import DecodableModel
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.types import Tensor

_NEVER = float("-inf")
_UNSEEN = 1e-10  # least attention of a source symbol, whose logarithm is finite


class NBest(NamedTuple):
    """The b best outputs of each canvas, best first: finished ones before others."""

    symbols: Tensor  # int32 [h, b, n]; PAD behind EOS
    log_probability: Tensor  # float32 [h, b]; -inf where there are not so many
    finished: Tensor  # bool [h, b]: whether EOS came within the canvas
    score: Tensor  # float32 [h, b]; s(y), what they are ranked by


class _Live(NamedTuple):
    """Hypotheses without EOS; those of each canvas by falling probability."""

    symbols: Tensor  # int32 [h, k, n]
    log_probability: Tensor  # float32 [h, k]; -inf where there is none
    coverage: Any  # float32 [h, k, n]: Σ_j p_ij; () without a coverage penalty


class _Finished(NamedTuple):
    """Hypotheses with EOS; those of each canvas by falling score."""

    symbols: Tensor  # int32 [h, b, n]
    log_probability: Tensor  # float32 [h, b]
    score: Tensor  # float32 [h, b]; -inf where there is none


def beam_search(
    model: DecodableModel,
    source: Tensor,
    size: Tensor,
    beam: int,
    n_best: int = 1,
    length_penalty: float = 0.0,
    coverage_penalty: float = 0.0,
) -> NBest:
    """Decodes each canvas, extending the k most likely hypotheses at every step.

    At each step the k most likely of all one-symbol extensions of the live hypotheses
    of a canvas are kept. Those that end with EOS are finished and leave the beam; the
    others live on (Sutskever et al. 2014, "Sequence to Sequence Learning with Neural
    Networks", §3.2). The best finished ones are kept apart by their score

        s(y)   = log p(y) / lp(y) + cp(y)
        lp(y)  = ((5 + |y|) / 6)^α
        cp(y)  = β Σ_i log min(Σ_j p_ij, 1)

    where |y| counts EOS, and p_ij is the weight that source symbol i has in the
    attention of step j (Wu et al. 2016, "Google's Neural Machine Translation System",
    eq. 14). With α = β = 0 the score is the log-probability, as `greedy` defines it.

    A canvas is done after n_b symbols, or when no live hypothesis can still beat the
    worst of the b finished ones. As log p only falls, lp only rises and cp ≤ 0,
    nothing that follows a live y has a score above log p(y) / ((5 + n_b) / 6)^α.

    A hypothesis that fills its canvas without EOS is unfinished; it ranks behind all
    finished ones. Of equals, the lower symbol, the hypothesis that ranked higher one
    step before, and the one that finished earlier come first. So with k = 1 this is
    `greedy`, whatever α and β, and nothing depends on the batch.

    Args:
        model, source, size: as for `greedy`. Every tensor of the state leads with the
            hypotheses. If β > 0 it has a field `attention` [h, n]: the weights of the
            source's symbols at the last step, p_ij.
        beam: k.
        n_best: b, how many outputs of each canvas to return; at most k.
        length_penalty: α ≥ 0; 0 for none.
        coverage_penalty: β ≥ 0; 0 for none.

    Raises:
        InputError: the beam is wider than there are symbols to choose from, or β > 0
            for a model without attention.

    Example:
        >>> model = NeuralGPU(vocabulary_size=17, maps=24)
        >>> source = keras.ops.array([[3, 5, 4, EOS], [3, EOS, PAD, PAD]])
        >>> found = beam_search(model, source, keras.ops.array([4, 2]), 4, n_best=3)
        >>> found.symbols.shape, found.score.shape
        ((2, 3, 4), (2, 3))
    """
    size = ops.cast(size, "int32")
    canvases, columns = ops.shape(source)
    place = ops.arange(columns, dtype="int32")[None, None, :]
    longest = length_divisor(size, length_penalty)
    state = model.start(source, size)
    if coverage_penalty and not model.attends:
        raise InputError(
            f"coverage_penalty={coverage_penalty}: the model has no attention; "
            "leave it out"
        )
    first = ops.repeat(ops.arange(canvases, dtype="int32"), beam)
    state = _take(state, first)
    live = _Live(
        symbols=ops.zeros((canvases, beam, columns), dtype="int32"),
        # One hypothesis, the empty one.
        log_probability=ops.where(
            ops.arange(beam)[None, :] == 0, ops.zeros((canvases, beam)), _NEVER
        ),
        coverage=ops.zeros((canvases, beam, columns)) if coverage_penalty else (),
    )
    finished = _Finished(
        symbols=ops.zeros((canvases, n_best, columns), dtype="int32"),
        log_probability=ops.full((canvases, n_best), _NEVER),
        score=ops.full((canvases, n_best), _NEVER),
    )

    def score(log_p: Tensor, length: Tensor, coverage: Any) -> Tensor:
        """s(y), [h, k]; the length is |y|, of a shape that broadcasts."""
        value = log_p / length_divisor(length, length_penalty)
        if coverage_penalty:
            seen = ops.log(ops.clip(coverage, _UNSEEN, 1.0))
            seen = ops.where(ops.expand_dims(source != PAD, 1), seen, 0.0)
            value = value + coverage_penalty * ops.sum(seen, axis=-1)
        return value

    def any_running(t: Tensor, running: Tensor, *_: Any) -> Tensor:
        return ops.any(running)

    def step(
        t: Tensor,
        running: Tensor,
        state: Any,
        previous: Tensor,
        live: _Live,
        finished: _Finished,
    ) -> tuple:
        state, logits = model.step(state, previous, t)
        logits = ops.cast(logits, "float32")
        check_beam(beam, logits.shape[-1])
        log_p = logits[:, EOS:] - ops.logsumexp(logits, axis=-1, keepdims=True)
        choices = log_p.shape[-1]
        log_p = ops.reshape(log_p, (canvases, beam, choices))
        log_p = live.log_probability[:, :, None] + log_p
        # The k best extensions; of equals top_k takes the first.
        log_p, index = ops.top_k(ops.reshape(log_p, (canvases, beam * choices)), beam)
        index = ops.cast(index, "int32")
        parent, symbol = index // choices, index % choices + EOS
        state = _take(state, _flat(parent, beam))
        coverage = live.coverage
        if coverage_penalty:
            weights = ops.cast(state.attention, "float32")
            weights = ops.reshape(weights, (canvases, beam, columns))
            coverage = _rows(coverage, parent) + weights
        symbols = _rows(live.symbols, parent)
        symbols = ops.where(place == t, symbol[:, :, None], symbols)
        ends = ops.logical_and(symbol == EOS, running[:, None])
        ended = ops.where(ends, score(log_p, t + 1, coverage), _NEVER)
        finished = _best(finished, _Finished(symbols, log_p, ended), n_best)

        def advance(new: Tensor, old: Tensor) -> Tensor:
            shape = (canvases,) + (1,) * (len(new.shape) - 1)
            return ops.where(ops.reshape(running, shape), new, old)

        extended = _Live(symbols, ops.where(ends, _NEVER, log_p), coverage)
        live = keras.tree.map_structure(advance, extended, live)
        bound = ops.max(live.log_probability, axis=1) / longest
        running = ops.logical_and(running, t + 1 < size)
        running = ops.logical_and(running, bound > finished.score[:, -1])
        return t + 1, running, state, ops.reshape(symbol, (-1,)), live, finished

    t = ops.convert_to_tensor(0, dtype="int32")
    go = ops.full_like(first, GO)
    start = (t, size > 0, state, go, live, finished)
    *_, live, finished = ops.while_loop(any_running, step, start)

    # What is live at the end fills the places that finished hypotheses leave.
    score_live = score(live.log_probability, size[:, None], live.coverage)
    score_live, order = ops.top_k(score_live, n_best)
    order = ops.cast(order, "int32")
    log_p = ops.take_along_axis(live.log_probability, order, axis=1)
    done = finished.score > _NEVER
    count = ops.sum(ops.cast(done, "int32"), axis=1, keepdims=True)
    rank = ops.arange(n_best, dtype="int32")[None, :]
    choice = ops.where(rank < count, rank, n_best + rank - count)
    symbols, log_p, score_all = (
        _rows(ops.concatenate(both, axis=1), choice)
        for both in (
            (finished.symbols, _rows(live.symbols, order)),
            (finished.log_probability, log_p),
            (finished.score, score_live),
        )
    )
    there = score_all > _NEVER
    return NBest(
        symbols=ops.where(there[:, :, None], symbols, PAD),
        log_probability=ops.where(there, log_p, _NEVER),
        finished=rank < count,
        score=score_all,
    )


def check_beam(beam: int, vocabulary_size: int) -> None:
    """Raises InputError if a beam is wider than there are symbols to choose from.

    Args:
        beam: k.
        vocabulary_size: v; PAD and GO are never chosen.
    """
    if beam > vocabulary_size - EOS:
        raise InputError(
            f"beam={beam}: wider than the vocabulary, which has "
            f"{vocabulary_size - EOS} symbols to choose from; choose a smaller beam"
        )


def length_divisor(length: Tensor, alpha: float) -> Tensor | float:
    """lp = ((5 + |y|) / 6)^α, float32 of the length's shape; 1 if α = 0."""
    if not alpha:
        return 1.0
    return ops.power((5.0 + ops.cast(length, "float32")) / 6.0, alpha)


def _flat(index: Tensor, rows: int) -> Tensor:
    """Index [h, x] among `rows` rows of each canvas → index [h x] among all rows."""
    first = rows * ops.arange(ops.shape(index)[0], dtype="int32")[:, None]
    return ops.reshape(index + first, (-1,))


def _take(state: Any, index: Tensor) -> Any:
    """The rows [h x] of every tensor of a state."""
    return keras.tree.map_structure(lambda x: ops.take(x, index, axis=0), state)


def _rows(values: Tensor, index: Tensor) -> Tensor:
    """values [h, x, …], index [h, y] → values[i, index[i, j], …], [h, y, …]."""
    canvases, count, *rest = ops.shape(values)
    flat = ops.reshape(values, (canvases * count, *rest))
    taken = ops.take(flat, _flat(index, count), axis=0)
    return ops.reshape(taken, (canvases, index.shape[1], *rest))


def _best(some: _Finished, more: _Finished, count: int) -> _Finished:
    """The `count` of highest score of both; of equals those of `some`, in order."""
    both = [ops.concatenate(pair, axis=1) for pair in zip(some, more, strict=True)]
    _, order = ops.top_k(both[-1], count)
    return _Finished(*(_rows(x, ops.cast(order, "int32")) for x in both))
