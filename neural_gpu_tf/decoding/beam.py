"""Beam search."""

from typing import Any, NamedTuple

import keras
from keras import ops

from neural_gpu_tf.configuration import check_at_least, whole_number
from neural_gpu_tf.constants import EOS, GO
from neural_gpu_tf.decoding.contract import (
    DecodableModel,
    Step,
    as_canvases,
)
from neural_gpu_tf.decoding.decoded import Decoded, flat_index, take_rows
from neural_gpu_tf.decoding.score import Score, length_divisor
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.types import Tensor

_NEVER = float("-inf")


def beam_search(
    model: DecodableModel,
    source: Tensor,
    size: Tensor,
    beam: int,
    n_best: int = 1,
    length_penalty: float = 0.0,
    coverage_penalty: float = 0.0,
) -> Decoded:
    """Decodes each canvas, extending the k most likely hypotheses at every step.

    At each step the k most likely of all one-symbol extensions of the live hypotheses
    of a canvas are kept. Those that end with EOS are finished and leave the beam; the
    others live on (Sutskever et al. 2014, "Sequence to Sequence Learning with Neural
    Networks", §3.2). The best finished ones are kept apart by their score (`Score`)

        s(y) = log p(y) / ((5 + |y|) / 6)^α + β Σ_i log min(Σ_j p_ij, 1)

    A canvas is done after n_b symbols, or when no live hypothesis can still beat the
    worst of the b finished ones.

    A hypothesis that fills its canvas without EOS is unfinished; it ranks behind all
    finished ones. Of equals, the one whose parent ranked higher comes first, then that
    of the lower symbol; of finished ones that which ended earlier. So with k = 1 this
    is `greedy`, whatever α and β, and nothing depends on the batch.

    Args:
        model, source, size: as for `greedy`. Every tensor of the state leads with the
            hypotheses. If β > 0 it has a field `attention` [h, n]: the weights of the
            source's symbols at the last step, p_ij.
        beam: k.
        n_best: b, how many outputs of each canvas to return; at most k.
        length_penalty: α ≥ 0; 0 for none.
        coverage_penalty: β ≥ 0; 0 for none.

    Returns:
        [h, b], best first.

    Raises:
        InputError: the beam is wider than there are symbols to choose from, an
            argument is less than it can be, source and size have other shapes, or β > 0
            for a model without attention.

    Example:
        >>> model = NeuralGPU(vocabulary_size=17, maps=24)
        >>> source = keras.ops.array([[3, 5, 4, EOS], [3, EOS, PAD, PAD]])
        >>> found = beam_search(model, source, keras.ops.array([4, 2]), 4, n_best=3)
        >>> found.symbols.shape, found.score.shape
        ((2, 3, 4), (2, 3))
    """
    n_best = whole_number("n_best", n_best, 1)
    beam = whole_number("beam", beam, n_best)
    check_at_least("length_penalty", length_penalty, 0)
    check_at_least("coverage_penalty", coverage_penalty, 0)
    source, size = as_canvases(model, source, size)
    score = Score(source, length_penalty, coverage_penalty)
    search = _Search(model, score, size, beam, n_best)
    return search.run()


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

    def best_with(self, more: "_Finished") -> "_Finished":
        """The b of highest score of both; of equals these first, in order."""
        both = [ops.concatenate(pair, axis=1) for pair in zip(self, more, strict=True)]
        _, order = ops.top_k(both[-1], self.score.shape[1])
        return _Finished(*(take_rows(x, ops.cast(order, "int32")) for x in both))


class _Carry(NamedTuple):
    """What the search carries from step to step."""

    t: Tensor  # int32 []
    running: Tensor  # bool [h]: canvases that are not done
    state: Any  # the model's, of h · k hypotheses
    previous: Tensor  # int32 [h · k]: o_{t-1}
    live: _Live
    finished: _Finished


class _Search(NamedTuple):
    """The steps of a beam search; see `beam_search`."""

    model: DecodableModel
    score: Score
    size: Tensor  # n_b, int32 [h]
    beam: int  # k
    n_best: int  # b

    def run(self) -> Decoded:
        """From the empty hypothesis of each canvas to its b best outputs."""
        model_step = self.model.stepper()
        *_, live, finished = ops.while_loop(
            lambda *carry: ops.any(_Carry(*carry).running),
            lambda *carry: self.step(model_step, _Carry(*carry)),
            self.start(),
        )
        return self.ranked(live, finished)

    def start(self) -> _Carry:
        """Before step 0 one hypothesis of each canvas is live, the empty one."""
        source, k, b = self.score.source, self.beam, self.n_best
        covers = self.score.coverage_penalty
        check_coverage(covers, self.model.attends)
        canvases, columns = ops.shape(source)
        canvas = ops.repeat(ops.arange(canvases, dtype="int32"), k)
        nothing = ops.full((canvases, b), _NEVER, dtype="float32")
        log_p = ops.zeros((canvases, k), dtype="float32")
        first = ops.arange(k, dtype="int32") == 0
        log_p = ops.where(first[None, :], log_p, _NEVER)
        covered = ops.zeros((canvases, k, columns), dtype="float32")
        return _Carry(
            t=ops.convert_to_tensor(0, dtype="int32"),
            running=self.size > 0,
            state=_take(self.model.start(source, self.size), canvas),
            previous=ops.full_like(canvas, GO),
            live=_Live(
                symbols=ops.zeros((canvases, k, columns), dtype="int32"),
                log_probability=log_p,
                coverage=covered if covers else (),
            ),
            finished=_Finished(
                symbols=ops.zeros((canvases, b, columns), dtype="int32"),
                log_probability=nothing,
                score=nothing,
            ),
        )

    def step(self, model_step: Step, carry: _Carry) -> _Carry:
        """Extends the live hypotheses by symbol t; moves those that end.

        A canvas that is done stays as it is: its hypotheses are neither replaced nor
        finished.
        """
        t, running, live = carry.t, carry.running, carry.live
        state, logits = model_step(carry.state, carry.previous, t)
        log_p, parent, symbol = self.extensions(live.log_probability, logits)
        state = _take(state, flat_index(parent, self.beam))
        coverage = self.covered(live.coverage, parent, state)
        place = ops.arange(ops.shape(live.symbols)[2], dtype="int32")
        symbols = ops.where(
            place == t, symbol[:, :, None], take_rows(live.symbols, parent)
        )
        ends = ops.logical_and(symbol == EOS, running[:, None])
        ended = ops.where(ends, self.score(log_p, t + 1, coverage), _NEVER)
        finished = carry.finished.best_with(_Finished(symbols, log_p, ended))
        extended = _Live(symbols, ops.where(ends, _NEVER, log_p), coverage)
        live = _where(running, extended, live)
        running = ops.logical_and(running, t + 1 < self.size)
        running = ops.logical_and(running, self.can_improve(live, finished))
        return _Carry(t + 1, running, state, ops.reshape(symbol, (-1,)), live, finished)

    def extensions(
        self, log_probability: Tensor, logits: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """The k most likely extensions of the live hypotheses by one symbol.

            log p(y v) = log p(y) + log p(v | y),  v neither PAD nor GO

        Args:
            log_probability: log p(y), [h, k].
            logits: [h · k, v].

        Returns:
            log p(y v) [h, k], falling; the rank of y and v, int32 [h, k] each. Of
            equals that of the lower rank, then of the lower symbol, comes first.
        """
        logits = ops.cast(logits, "float32")
        check_beam(self.beam, logits.shape[-1])
        log_p = logits[:, EOS:] - ops.logsumexp(logits, axis=-1, keepdims=True)
        canvases, k, choices = ops.shape(log_probability)[0], self.beam, log_p.shape[-1]
        log_p = ops.reshape(log_p, (canvases, k, choices))
        log_p = log_probability[:, :, None] + log_p
        # Of equals top_k takes the first.
        log_p, index = ops.top_k(ops.reshape(log_p, (canvases, k * choices)), k)
        index = ops.cast(index, "int32")
        return log_p, index // choices, index % choices + EOS

    def covered(self, coverage: Any, parent: Tensor, state: Any) -> Any:
        """Σ_j p_ij of the extensions, [h, k, n]; () without a coverage penalty."""
        if not self.score.coverage_penalty:
            return ()
        weights = ops.cast(state.attention, "float32")
        weights = ops.reshape(weights, ops.shape(coverage))
        return take_rows(coverage, parent) + weights

    def can_improve(self, live: _Live, finished: _Finished) -> Tensor:
        """Whether a live hypothesis can still beat the worst finished one, bool [h].

        As log p only falls, lp only rises and cp ≤ 0, nothing that follows a live y
        has a score above log p(y) / ((5 + n_b) / 6)^α.
        """
        longest = length_divisor(self.size, self.score.length_penalty)
        bound = ops.max(live.log_probability, axis=1) / longest
        return bound > finished.score[:, -1]

    def ranked(self, live: _Live, finished: _Finished) -> Decoded:
        """The b best: finished ones, then what is live at the end in places left."""
        b = self.n_best
        score = self.score(live.log_probability, self.size[:, None], live.coverage)
        score, order = ops.top_k(score, b)
        order = ops.cast(order, "int32")
        unfinished = _Finished(
            take_rows(live.symbols, order),
            take_rows(live.log_probability, order),
            score,
        )
        count = ops.cast(finished.score > _NEVER, "int32")
        count = ops.sum(count, axis=1, keepdims=True)
        rank = ops.arange(b, dtype="int32")[None, :]
        choice = ops.where(rank < count, rank, b + rank - count)
        symbols, log_p, score = (
            take_rows(ops.concatenate(both, axis=1), choice)
            for both in zip(finished, unfinished, strict=True)
        )
        size = ops.repeat(self.size[:, None], b, axis=1)
        decoded = Decoded(symbols, log_p, rank < count, score, size)
        return decoded.only_where(score > _NEVER)


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


def _take(state: Any, index: Tensor) -> Any:
    """The rows [h x] of every tensor of a state."""
    return keras.tree.map_structure(lambda x: ops.take(x, index, axis=0), state)


def _where(running: Tensor, new: _Live, old: _Live) -> _Live:
    """The new hypotheses of the canvases `running`, bool [h], the old of others."""

    def choose(new: Tensor, old: Tensor) -> Tensor:
        shape = (ops.shape(running)[0],) + (1,) * (len(new.shape) - 1)
        return ops.where(ops.reshape(running, shape), new, old)

    return keras.tree.map_structure(choose, new, old)


def check_coverage(penalty: float, attends: bool) -> None:
    """Raises InputError if coverage counts for a model that covers nothing.

    Args:
        penalty: β.
        attends: whether the model has attention.
    """
    if penalty and not attends:
        raise InputError(
            f"coverage_penalty={penalty}: the model has no attention; leave it out"
        )
