import dataclasses

import numpy as np
import pytest
import tensorflow as tf
import tiny
from oracles_search import Automaton
from scripted import BySize, Markov

from neural_gpu_tf.constants import EOS
from neural_gpu_tf.decoding import greedy, sample, sample_search, size_search
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.options import DecodingConfig, SamplingConfig

GRID = 2000
EVEN = ((np.arange(GRID) + 0.5) / GRID).astype(np.float32)[:, None]


def distribution(logits, **options):
    """How often each symbol is drawn first, with evenly spread numbers."""
    model = Markov(np.tile(logits, (len(logits), 1)))
    ones = np.ones((GRID, 1), np.int32)
    drawn = sample(model, ones, ones[:, 0], EVEN, SamplingConfig(**options))
    return np.bincount(drawn.symbols.numpy()[:, 0], minlength=len(logits)) / GRID


def test_numbers_of_numpy_are_taken(logits):
    model = Markov(np.tile(logits, (len(logits), 1)))
    ones, even = np.ones((GRID, 1), np.int32), EVEN.astype(np.float64)
    found = sample(model, ones, ones[:, 0], even, SamplingConfig()).symbols
    expected = sample(model, ones, ones[:, 0], EVEN, SamplingConfig()).symbols
    np.testing.assert_array_equal(found, expected)


def softmax(x):
    return np.exp(x) / np.exp(x).sum()


@pytest.fixture(scope="module")
def logits():
    return np.random.default_rng(0).normal(scale=1.5, size=12)


@pytest.mark.parametrize("temperature", [1.0, 0.5, 2.0])
def test_draws_from_the_models_distribution(logits, temperature):
    """Of all but PAD and GO, p^(1/T) normalized."""
    expected = np.append([0, 0], softmax(logits[EOS:] / temperature))
    found = distribution(logits, temperature=temperature)
    np.testing.assert_allclose(found, expected, atol=1.1 / GRID)


def test_top_k_leaves_the_likeliest(logits):
    found = distribution(logits, top_k=3)
    best = EOS + np.argsort(-logits[EOS:])[:3]
    expected = np.zeros(12)
    expected[best] = softmax(logits[best])
    np.testing.assert_allclose(found, expected, atol=1.1 / GRID)
    np.testing.assert_array_equal(distribution(logits, top_k=99), distribution(logits))


@pytest.mark.parametrize("top_p", [0.01, 0.5, 0.9, 0.999])
def test_the_nucleus_is_the_fewest_symbols_of_enough_probability(logits, top_p):
    p = np.append([0, 0], softmax(logits[EOS:]))
    order = np.argsort(-p)
    count = next(n for n in range(1, 13) if p[order[:n]].sum() >= top_p)
    expected = np.zeros(12)
    expected[order[:count]] = p[order[:count]] / p[order[:count]].sum()
    found = distribution(logits, top_p=top_p)
    np.testing.assert_allclose(found, expected, atol=1.1 / GRID)


def test_symbols_that_are_just_enough_are_the_nucleus():
    logits = np.log(np.array([1e-30, 1e-30, 0.5, 0.25, 0.25], np.float32))
    for top_p, drawn in ((0.5, 1), (0.75, 2)):
        assert np.count_nonzero(distribution(logits, top_p=top_p)) == drawn


def test_the_nucleus_is_taken_of_the_tempered_k_likeliest():
    logits = np.log([1e-9, 1e-9, 0.4, 0.3, 0.2, 0.1])
    # k = 3, T = 1/2: 16 9 4 of 29; 25 of 29 is enough for 0.85.
    found = distribution(logits, temperature=0.5, top_k=3, top_p=0.85)
    np.testing.assert_allclose(found, [0, 0, 16 / 25, 9 / 25, 0, 0], atol=1.1 / GRID)


def test_a_temperature_near_0_draws_the_likeliest(logits):
    for temperature in (1e-20, 1e-40, 1e-300):
        found = distribution(logits + 30, temperature=temperature)
        assert found[EOS + np.argmax(logits[EOS:])] == 1


def test_of_equals_the_lower_symbol_is_first():
    np.testing.assert_array_equal(
        distribution(np.zeros(5), top_k=2), [0, 0, 0.5, 0.5, 0]
    )


@pytest.fixture(scope="module")
def canvases():
    random = np.random.default_rng(1)
    size = np.array([3, 7, 6, 1, 7, 5], np.int32)
    source = random.integers(3, 8, (6, 7)) * (np.arange(7) < size[:, None])
    return source.astype(np.int32), size, random.random((6, 7)).astype(np.float32)


@pytest.mark.parametrize("options", [dict(top_k=1), dict(top_p=1e-6)])
def test_of_one_symbol_it_is_greedy_decoding(canvases, options):
    drawn = sample(Automaton(0), *canvases, SamplingConfig(temperature=7, **options))
    for value, other in zip(drawn, greedy(Automaton(0), *canvases[:2]), strict=True):
        np.testing.assert_array_equal(value, other)


def test_follows_its_own_symbols_and_reports_the_models_log_probability(canvases):
    automaton = Automaton(0)
    source, size, uniform = canvases
    config = SamplingConfig(temperature=1.5, top_p=0.95)
    drawn = sample(automaton, source, size, uniform, config)
    said = drawn.symbols.numpy()
    place = automaton.start(source, size).state.numpy()
    expected = np.zeros(len(size))
    for t in range(7):
        alive = said[:, t] > 0
        if t:
            place = automaton.moves[place, said[:, t - 1]]
        expected[alive] += automaton.log_p[place, said[:, t] - EOS][alive]
    np.testing.assert_allclose(drawn.log_probability, expected, atol=1e-4)
    ends = (said == EOS).any(axis=1)
    np.testing.assert_array_equal(drawn.finished, ends)
    np.testing.assert_array_equal((said > 0).sum(axis=1)[~ends], size[~ends])
    assert np.any(said != greedy(automaton, source, size).symbols)


def test_a_row_depends_on_its_own_numbers_only(canvases):
    model = tiny.new_model(9)
    config = SamplingConfig(top_k=5)
    together = sample(model, *canvases, config)
    for i, n in enumerate(canvases[1]):
        alone = sample(model, *(x[i : i + 1] for x in canvases), config)
        np.testing.assert_array_equal(together.symbols[i, :n], alone.symbols[0, :n])
        np.testing.assert_allclose(
            together.log_probability[i], alone.log_probability[0], atol=1e-4
        )
    # And a symbol on the numbers up to its own.
    other = np.where(np.arange(7) < 3, canvases[2], (canvases[2] + 0.5) % 1)
    others = sample(model, *canvases[:2], other.astype(np.float32), config)
    np.testing.assert_array_equal(others.symbols[:, :3], together.symbols[:, :3])
    assert np.any(others.symbols[:, 3] != together.symbols[:, 3])


def test_on_the_canvas_of_greedy_decoding_whatever_the_packs(canvases):
    source, length, _ = canvases
    length = length * (np.arange(6) != 2)  # one is empty
    model = Automaton(0)
    numbers = np.random.default_rng(0).random((6, 14)).astype(np.float32)
    config = SamplingConfig(sample=True, top_p=0.9)
    sizes = size_search(model, source, length, DecodingConfig()).size.numpy()
    of_beam = size_search(model, source, length, DecodingConfig(beam=4)).size.numpy()
    assert np.any(sizes != of_beam)
    expected = sample(
        model,
        np.pad(source * (length > 0)[:, None], [[0, 0], [0, 7]]),
        np.maximum(sizes, 1),
        numbers,
        config,
    )
    for cells in (1, 40):
        decoding = DecodingConfig(
            decode_cells=cells, beam=4, n_best=2, coverage_penalty=1.0
        )

        def search(source, length, decoding=decoding):
            uniform = lambda n: tf.constant(numbers)[:, :n]  # noqa: E731
            return sample_search(model, source, length, uniform, decoding, config)

        in_graph = tf.function(
            search,
            input_signature=[
                tf.TensorSpec([None, None], tf.int32),
                tf.TensorSpec([None], tf.int32),
            ],
            autograph=False,
        )
        drawn = in_graph(source, length)
        np.testing.assert_array_equal(drawn.size, sizes)
        assert drawn.log_probability[2] == 0 and not np.any(drawn.symbols[2])
        columns = drawn.symbols.shape[1]
        for i in np.flatnonzero(length):
            np.testing.assert_array_equal(
                drawn.symbols[i], expected.symbols[i, :columns]
            )
            np.testing.assert_allclose(
                drawn.log_probability[i], expected.log_probability[i], atol=1e-4
            )


def test_a_model_without_a_size_gets_the_largest_canvas_at_once():
    model = BySize({})
    model.sized = False
    drawn = sample_search(
        model,
        np.ones((2, 4), np.int32),
        np.array([4, 2]),
        lambda n: np.full((2, int(n)), 0.5, np.float32),
        DecodingConfig(),
        SamplingConfig(),
    )
    np.testing.assert_array_equal(drawn.size, [8, 4])
    assert [sizes for _, sizes in model.packs] == [[4, 8]]


@pytest.mark.parametrize(
    "name, value",
    [
        ("temperature", 0.0),
        ("temperature", float("nan")),
        ("temperature", float("inf")),
        ("top_k", -1),
        ("top_p", 0.0),
        ("top_p", 1.5),
        ("sample_seed", -1),
        ("sample_seed", 2**63),
    ],
)
def test_illegal_values_name_the_flag(name, value):
    with pytest.raises(InputError, match=f"{name}={value}"):
        SamplingConfig(**{name: value})


def test_every_field_has_help():
    assert all(f.metadata["help"] for f in dataclasses.fields(SamplingConfig))


def test_flags_that_contradict_each_other():
    sampling = SamplingConfig(sample=True)
    sampling.check_flags(["sample", "top_p", "sizes", "decode_cells"])
    SamplingConfig().check_flags(["beam", "n_best"])
    for name in ("beam", "n_best", "length_penalty", "coverage_penalty"):
        with pytest.raises(InputError, match=f"{name} and --sample contradict"):
            sampling.check_flags(["sample", name])
    for name in ("temperature", "top_k", "top_p", "sample_seed"):
        with pytest.raises(InputError, match=f"{name}: only with --sample"):
            SamplingConfig().check_flags([name])
