"""Models of random tables, and searches over them in plain NumPy."""

import itertools
from typing import NamedTuple

import numpy as np
from keras import ops

PAD, GO, EOS = range(3)


class Place(NamedTuple):
    """Where an automaton is."""

    state: object  # [h]


class AttentivePlace(NamedTuple):
    """The same, and what it looked at last."""

    state: object  # [h]
    attention: object  # [h, n]


def first(source, size, states):
    """The state that a canvas starts in; source [..., n], size [...]."""
    return (7 * source[..., 0] + 3 * size) % states


class Automaton:
    """log p(v | everything before) by the state of a random finite automaton.

    It starts in a state that depends on source and size, and moves with each symbol,
    so a probability depends on the whole output before.

    Args:
        seed: of the tables.
        symbols: v.
        said: the only symbols of probability > 0, besides PAD and GO; None: all.
        columns: n of the attention; 0 for none.
        sharpness: standard deviation of the logits.
    """

    sized = True
    answers_at_once = False

    def stepper(self):
        return self.step

    def __init__(self, seed, symbols=7, said=None, columns=0, sharpness=2.0, states=50):
        self.attends = columns > 0
        random = np.random.default_rng(seed)
        logits = random.normal(scale=sharpness, size=(states, symbols))
        if said is not None:
            logits[:, sorted({*range(EOS, symbols)} - {*said})] = -np.inf
        self.logits = logits.astype(np.float32)
        self.moves = random.integers(0, states, (states, symbols), dtype=np.int32)
        self.attention = random.dirichlet([0.5] * columns, states) if columns else None
        self.states = states
        self.steps = 0
        normalizer = np.log(np.exp(logits).sum(-1, keepdims=True))
        self.log_p = (logits - normalizer)[:, EOS:]

    def start(self, source, size):
        return self._place(ops.cast(first(source, size, self.states), "int32"), 0.0)

    def step(self, place, previous, t):
        self.steps += 1
        index = place.state * self.logits.shape[1] + ops.cast(previous, "int32")
        moved = ops.take(ops.reshape(self.moves, (-1,)), index)
        state = ops.where(ops.cast(t, "int32") > 0, moved, place.state)
        return self._place(state, 1.0), ops.take(self.logits, state, axis=0)

    def _place(self, state, looking):
        if self.attention is None:
            return Place(state)
        weights = ops.take(self.attention.astype(np.float32), state, axis=0)
        return AttentivePlace(state, looking * weights)


class Output(NamedTuple):
    """One hypothesis; tuples of them are compared by score in `ranked`."""

    symbols: tuple  # EOS included
    log_p: float
    state: int
    coverage: object  # [n]


def extensions(automaton, output):
    """All outputs with one symbol more, by symbol."""
    state = output.state
    if output.symbols:
        state = automaton.moves[state, output.symbols[-1]]
    coverage = output.coverage
    if automaton.attention is not None:
        coverage = coverage + automaton.attention[state]
    for index, log_p in enumerate(automaton.log_p[state]):
        yield Output(
            (*output.symbols, index + EOS), output.log_p + log_p, state, coverage
        )


def score(output, source, alpha, beta):
    """s(y) = log p(y) / ((5 + |y|) / 6)^α + β Σ_i log min(Σ_j p_ij, 1)."""
    value = output.log_p / ((5 + len(output.symbols)) / 6) ** alpha
    if beta:
        value += beta * np.log(np.clip(output.coverage, 1e-10, 1))[source != PAD].sum()
    return value


def beam(automaton, source, size, k, b, alpha=0.0, beta=0.0):
    """Beam search on one canvas, to its end: [(symbols, log p, score, finished)]."""
    state = int(first(source, size, automaton.states))
    live, finished = [Output((), 0.0, state, np.zeros(len(source)))], []
    for _ in range(size):
        some = [more for output in live for more in extensions(automaton, output)]
        some = [output for output in some if output.log_p > -np.inf]
        some.sort(key=lambda output: -output.log_p)  # stable: of equals the first
        finished += [output for output in some[:k] if output.symbols[-1] == EOS]
        live = [output for output in some[:k] if output.symbols[-1] != EOS]
    return ranked(finished, live, source, b, alpha, beta)


def exhaustive(automaton, source, size, said, b, alpha=0.0, beta=0.0):
    """All outputs there can be on one canvas; as `beam`."""
    state = int(first(source, size, automaton.states))
    finished, live = [], []
    words = sorted(set(said) - {EOS})
    for length in range(size + 1):
        for symbols in itertools.product(words, repeat=length):
            output = Output((), 0.0, state, np.zeros(len(source)))
            for symbol in symbols:
                output = list(extensions(automaton, output))[symbol - EOS]
            if length < size:
                finished.append(next(extensions(automaton, output)))
            else:
                live.append(output)
    return ranked(finished, live, source, b, alpha, beta)


def ranked(finished, live, source, b, alpha, beta):
    """The b best, finished ones before others."""
    answer = []
    for ended, outputs in ((True, finished), (False, live)):
        scored = [(score(x, source, alpha, beta), x) for x in outputs]
        scored.sort(key=lambda pair: -pair[0])
        answer += [(x.symbols, x.log_p, s, ended) for s, x in scored]
    return answer[:b]
