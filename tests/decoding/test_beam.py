from pathlib import Path

import keras
import numpy as np
import oracles_search
import pytest
from backend_process import BACKENDS, output_under
from oracles_search import EOS, PAD, Automaton
from scripted import Markov, Model

from neural_gpu_tf.decoding import beam_search, greedy
from neural_gpu_tf.errors import InputError


def random_canvases(largest, count):
    """Sizes from 1 to `largest`, and sources of as many symbols or fewer."""
    random = np.random.default_rng(largest)
    size = np.arange(count) % largest + 1
    length = random.integers(1, size + 1)
    source = random.integers(3, 7, (count, largest))
    source *= np.arange(largest) < length[:, None]
    return source.astype(np.int32), size.astype(np.int32)


PENALTIES = [(0.0, 0.0), (0.6, 0.0), (1.5, 0.0), (0.0, 0.3), (0.9, 0.2)]


def check(found, expected, sizes):
    """Compares n-best outputs with rows of (symbols, log p, score, finished)."""
    symbols, log_p, finished, score, size = (np.array(values) for values in found)
    for i, outputs in enumerate(expected):
        for j, (said, its_log_p, its_score, ended) in enumerate(outputs):
            padded = np.pad(said, [0, symbols.shape[2] - len(said)])
            np.testing.assert_array_equal(symbols[i, j], padded)
            np.testing.assert_allclose(log_p[i, j], its_log_p, rtol=1e-4, atol=1e-4)
            np.testing.assert_allclose(score[i, j], its_score, rtol=1e-4, atol=1e-4)
            assert finished[i, j] == ended
            assert size[i, j] == sizes[i]
        rest = slice(len(outputs), None)
        assert not symbols[i, rest].any() and not finished[i, rest].any()
        assert not size[i, rest].any()
        assert (log_p[i, rest] == -np.inf).all() and (score[i, rest] == -np.inf).all()


@pytest.mark.parametrize("alpha, beta", PENALTIES)
def test_a_wide_beam_finds_the_best_of_all_outputs(alpha, beta):
    """27 hypotheses of 3 symbols live before the last step, with 108 extensions."""
    said = (EOS, 4, 5, 6)
    automaton = Automaton(0, 112, said, columns=4)
    canvases = random_canvases(4, 16)
    found = beam_search(automaton, *canvases, 108, 9, alpha, beta)
    check(
        found,
        [
            oracles_search.exhaustive(automaton, *canvas, said, 9, alpha, beta)
            for canvas in zip(*canvases, strict=True)
        ],
        canvases[1],
    )


@pytest.mark.parametrize("alpha, beta", PENALTIES)
def test_a_narrow_beam_is_the_textbooks(alpha, beta):
    """To the end of the canvas in the oracle: stopping early loses nothing."""
    canvases = random_canvases(7, 42)
    for k, b in ((1, 1), (2, 1), (5, 3)):
        automaton = Automaton(k, columns=7)
        found = beam_search(automaton, *canvases, k, b, alpha, beta)
        check(
            found,
            [
                oracles_search.beam(automaton, *canvas, k, b, alpha, beta)
                for canvas in zip(*canvases, strict=True)
            ],
            canvases[1],
        )


@pytest.mark.parametrize("alpha, beta", PENALTIES)
def test_a_beam_of_one_is_greedy_decoding(alpha, beta):
    automaton = Automaton(3, columns=6, states=300)
    canvases = random_canvases(6, 60)
    found = beam_search(automaton, *canvases, 1, 1, alpha, beta)
    expected = greedy(automaton, *canvases)
    for field in ("symbols", "log_probability", "finished", "size"):  # bit for bit
        np.testing.assert_array_equal(
            getattr(found.best, field), getattr(expected, field)
        )
    np.testing.assert_array_equal(expected.score, expected.log_probability)
    assert 0.2 < np.mean(expected.finished) < 0.8


class Columns(Model):
    """Symbols that know nothing of each other, as those of the Neural GPU."""

    def __init__(self, seed):
        random = np.random.default_rng(seed)
        self.logits = random.normal(scale=2, size=(60, 6, 8)).astype(np.float32)

    def start(self, source, size):
        return (keras.ops.convert_to_tensor(self.logits),)

    def step(self, state, previous, t):
        return state, keras.ops.take(state[0], t, axis=1)


@pytest.mark.parametrize("alpha", [0.0, 0.7, 2.0])
def test_where_the_likeliest_prefix_never_leaves_the_beam_it_beats_greedy(alpha):
    model, canvases = Columns(0), random_canvases(6, 60)
    one = beam_search(model, *canvases, 1, length_penalty=alpha)
    some = beam_search(model, *canvases, 4, length_penalty=alpha)
    finished, of_one = some.finished[:, 0].numpy(), one.finished[:, 0].numpy()
    assert (finished | ~of_one).all()
    gain = (some.score - one.score).numpy()[finished == of_one]
    assert (gain >= -1e-6).all() and (gain > 1e-3).any()


def test_says_neither_pad_nor_go():
    p = np.full((9, 9), 0.01, np.float32)
    p[:, [0, 1]] = 0.4
    found = beam_search(Markov(np.log(p)), np.ones((1, 3), int), np.array([3]), 4, 4)
    symbols = found.symbols.numpy()
    assert (symbols != 1).all()
    assert (np.cumsum(symbols == EOS, axis=2)[symbols == PAD] == 1).all()
    lengths = (symbols != PAD).sum(axis=2)
    np.testing.assert_allclose(
        found.log_probability, lengths * np.log(0.01 / 0.87), rtol=1e-5
    )


def test_of_equals_the_lower_symbol_and_the_earlier_hypothesis_come_first():
    even = Markov(np.zeros((6, 6)))  # EOS, 3, 4, 5
    for columns, k, expected in (
        (1, 2, [[EOS], [3]]),
        (1, 4, [[EOS], [3], [4], [5]]),
        (2, 3, [[EOS, 0], [3, EOS], [3, 3]]),  # live: 3, 4; then 3 2, 3 3, 3 4
    ):
        for _ in range(2):
            found = beam_search(
                even, np.ones((2, columns), int), np.array([columns] * 2), k, k
            )
            np.testing.assert_array_equal(found.symbols, [expected] * 2)
    # Of equal scores the one that finished earlier: α makes up for a step exactly.
    p = np.full((5, 5), 1e-9)
    p[1, [EOS, 3]] = 0.5, 0.5
    p[3, EOS] = 1.0
    found = beam_search(Markov(np.log(p)), np.ones((1, 2), int), np.array([2]), 2, 2)
    np.testing.assert_array_equal(found.symbols, [[[EOS, 0], [3, EOS]]])


def steps(p, canvas, **options):
    """How many steps a beam of 2 takes, and its best output."""
    model = Markov(np.log(np.maximum(p, 1e-9)))
    found = beam_search(model, np.ones((1, canvas), int), np.array([canvas]), **options)
    return len(model.inputs), found.symbols.numpy()[0, 0].tolist()


def test_stops_as_soon_as_nothing_can_win_and_not_before():
    p = np.zeros((6, 6))
    p[1, [EOS, 3]] = 0.5, 0.4
    p[3, [3, EOS]] = 0.95, 0.05
    # log 0.4 < log 0.5: after one step nothing can win.
    assert steps(p, 8, beam=2) == (1, [EOS, *[0] * 7])
    # log 0.4 / lp(8) > log 0.5: something may. 3 3 … 3 EOS comes to
    # log(0.4 · 0.95^6 · 0.05) / lp(8), so nothing does.
    assert steps(p, 8, beam=2, length_penalty=1.0) == (8, [EOS, *[0] * 7])
    # EOS is likely after the fourth 3 … of a model that can't count: at every one.
    p[3, [3, EOS]] = 0.7, 0.3
    taken, best = steps(p, 8, beam=2, length_penalty=3.0)
    assert taken == 8 and best[:3] == [3, 3, 3] and EOS in best
    # The second best is asked for: one step more, at which 3 EOS finishes.
    p[3, [3, EOS]] = 0.1, 0.9
    assert steps(p, 8, beam=2, n_best=2) == (2, [EOS, *[0] * 7])


def test_coverage_prefers_what_looked_at_every_source_symbol():
    automaton = Automaton(0, symbols=5, columns=2, states=4)
    automaton.logits = np.log(
        np.array(
            [
                [0.001, 0.001, 0.001, 0.55, 0.45],  # the start: 3 or 4
                [0.001, 0.001, 0.99, 0.001, 0.001],  # behind 3: EOS
                [0.001, 0.001, 0.99, 0.001, 0.001],  # behind 4: EOS
                [0.001, 0.001, 0.99, 0.001, 0.001],
            ],
            np.float32,
        )
    )
    automaton.moves[0] = [0, 0, 0, 1, 2]
    automaton.attention = np.array([[0.9, 0.1], [0.9, 0.1], [0.1, 0.9], [0.5, 0.5]])
    automaton.start = lambda source, size: automaton._place(0 * size, 0.0)
    canvas = np.array([[3, 4]]), np.array([2])
    for beta, best in ((0.0, 3), (0.5, 4)):
        found = beam_search(automaton, *canvas, 2, coverage_penalty=beta)
        np.testing.assert_array_equal(found.symbols, [[[best, EOS]]])
    np.testing.assert_allclose(
        found.score - found.log_probability, 0, atol=1e-6
    )  # both were seen
    # The second symbol is none: 3 has seen all there is.
    found = beam_search(
        automaton, np.array([[3, PAD]]), canvas[1], 2, coverage_penalty=0.5
    )
    np.testing.assert_array_equal(found.symbols, [[[3, EOS]]])


def test_a_beam_wider_than_the_vocabulary_is_refused():
    model, canvases = Automaton(0, symbols=7), random_canvases(2, 2)
    beam_search(model, *canvases, 5)
    with pytest.raises(InputError, match="beam=6: .* has 5 symbols to choose from"):
        beam_search(model, *canvases, 6)


def test_no_coverage_without_attention():
    with pytest.raises(InputError, match="coverage_penalty=0.2: .* no attention"):
        beam_search(Automaton(0), *random_canvases(2, 2), 2, coverage_penalty=0.2)


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
def test_under_other_backends_too(backend):
    script = Path(__file__).with_name("under_backend.py")
    assert "the same" in output_under(backend, script)


@pytest.mark.parametrize(
    "arguments, message",
    [
        ((2, 3), "beam=2: must be at least 3"),
        ((2, 0), "n_best=0: must be at least 1"),
        ((2, 1, -0.5), "length_penalty=-0.5: must be at least 0"),
        ((2, 1, 0.0, -0.5), "coverage_penalty=-0.5: must be at least 0"),
    ],
)
def test_arguments_that_are_too_small(arguments, message):
    source, size = random_canvases(3, 2)
    with pytest.raises(InputError, match=message):
        beam_search(Markov(np.zeros((7, 7))), source, size, *arguments)
