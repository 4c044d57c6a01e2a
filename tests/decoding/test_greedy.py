import keras
import numpy as np
import pytest
import tensorflow as tf
import tiny
from scripted import BySize, Markov

from neural_gpu_tf.constants import EOS, GO, PAD
from neural_gpu_tf.decoding import all_symbols, beam_search, greedy
from neural_gpu_tf.errors import InputError


def log(p):
    return np.log(np.maximum(p, 1e-30))


def chain(*links, symbols=8):
    """p(v | previous): a table that gives each link (previous, v, p) its p."""
    p = np.zeros((symbols, symbols))
    for previous, symbol, probability in links:
        p[previous, symbol] = probability
    p[:, PAD] = 1 - p.sum(axis=1)
    return log(p)


def test_follows_its_own_symbols_from_go_to_eos():
    model = Markov(chain((GO, 5, 0.9), (5, 4, 0.8), (4, EOS, 0.6), (EOS, 7, 1)))
    hypotheses = greedy(model, np.zeros((1, 6), int), np.array([6]))
    np.testing.assert_array_equal(hypotheses.symbols, [[5, 4, EOS, PAD, PAD, PAD]])
    np.testing.assert_allclose(
        hypotheses.log_probability, [np.log(0.9 * 0.8 * 0.6)], rtol=1e-5
    )
    assert hypotheses.log_probability.dtype == "float32"
    np.testing.assert_array_equal(hypotheses.finished, [True])
    assert model.inputs == [[GO], [5], [4]]  # and no step after the end


def test_a_canvas_ends_before_eos():
    model = Markov(chain((GO, 5, 0.9), (5, 5, 0.5)))
    hypotheses = greedy(model, np.zeros((2, 4), int), np.array([2, 3]))
    np.testing.assert_array_equal(hypotheses.symbols, [[5, 5, 0, 0], [5, 5, 5, 0]])
    np.testing.assert_allclose(
        hypotheses.log_probability, np.log([0.9 * 0.5, 0.9 * 0.25]), rtol=1e-5
    )
    np.testing.assert_array_equal(hypotheses.finished, [False, False])
    assert len(model.inputs) == 3


def test_eos_may_fall_on_the_last_column():
    model = Markov(chain((GO, 5, 0.9), (5, EOS, 0.5)))
    hypotheses = greedy(model, np.zeros((1, 2), int), np.array([2]))
    np.testing.assert_array_equal(hypotheses.finished, [True])


@pytest.mark.parametrize("forbidden", [PAD, GO])
def test_says_neither_pad_nor_go_but_keeps_the_models_probability(forbidden):
    p = np.full((8, 8), 0.01)
    p[:, forbidden] = 0.7
    p[:, 6] = 0.24
    hypotheses = greedy(Markov(log(p)), np.zeros((1, 2), int), np.array([2]))
    np.testing.assert_array_equal(hypotheses.symbols, [[6, 6]])
    np.testing.assert_allclose(
        hypotheses.log_probability, [2 * np.log(0.24)], rtol=1e-5
    )


def test_logits_need_not_be_normalized():
    model = Markov(chain((GO, 5, 0.9), (5, EOS, 0.6)) + 3)
    hypotheses = greedy(model, np.zeros((1, 2), int), np.array([2]))
    np.testing.assert_allclose(hypotheses.log_probability, [np.log(0.54)], rtol=1e-5)


def test_of_equals_the_lowest_symbol_wins():
    p = np.full((8, 8), 0.01)
    p[:, [4, 6]] = 0.4
    hypotheses = greedy(Markov(log(p)), np.zeros((1, 1), int), np.array([1]))
    np.testing.assert_array_equal(hypotheses.symbols, [[4]])


def test_each_hypothesis_has_its_own_end():
    model = BySize(
        {2: [(5, 0.9), (6, 0.9)], 4: [(7, 0.5), (EOS, 0.5)], 1: [(EOS, 0.8)]}
    )
    hypotheses = greedy(model, np.zeros((3, 4), int), np.array([2, 4, 1]))
    np.testing.assert_array_equal(
        hypotheses.symbols, [[5, 6, 0, 0], [7, EOS, 0, 0], [EOS, 0, 0, 0]]
    )
    np.testing.assert_array_equal(hypotheses.finished, [False, True, True])
    np.testing.assert_allclose(
        hypotheses.log_probability, np.log([0.81, 0.25, 0.8]), rtol=1e-5
    )


@pytest.fixture(scope="module")
def canvases():
    random = np.random.default_rng(0)
    size = np.array([3, 9, 6, 1, 9])
    source = random.integers(3, 8, (5, 9)) * (np.arange(9) < size[:, None])
    return source.astype(np.int32), size.astype(np.int32)


def test_agrees_with_the_teacher_forced_model(canvases):
    source, size = canvases
    model = tiny.new_model(8)
    hypotheses = greedy(model, source, size)
    symbols = np.array(hypotheses.symbols)
    logits = model({"source": source, "target": symbols, "size": size})
    log_p = np.array(keras.ops.log_softmax(logits))
    said = symbols != PAD
    likeliest = EOS + log_p[:, :, EOS:].argmax(-1)
    np.testing.assert_array_equal(symbols[said], likeliest[said])
    expected = np.take_along_axis(log_p, symbols[:, :, None], -1)[:, :, 0]
    np.testing.assert_allclose(
        hypotheses.log_probability, (expected * said).sum(1), atol=1e-5
    )
    ends = (symbols == EOS).any(1)
    np.testing.assert_array_equal(hypotheses.finished, ends)
    np.testing.assert_array_equal(said.sum(1)[~ends], size[~ends])
    assert 0 < ends.sum() < len(ends)


def test_in_a_graph_of_unknown_shapes_and_whatever_the_batch(canvases):
    source, size = canvases
    model = tiny.new_model(8)
    in_graph = tf.function(
        lambda source, size: greedy(model, source, size),
        input_signature=[
            tf.TensorSpec([None, None], tf.int32),
            tf.TensorSpec([None], tf.int32),
        ],
        autograph=False,
    )
    together = in_graph(source, size)
    for i, n in enumerate(size):
        alone = greedy(model, source[i : i + 1, :n], size[i : i + 1])
        np.testing.assert_array_equal(together.symbols[i, :n], alone.symbols[0])
        np.testing.assert_allclose(
            together.log_probability[i], alone.log_probability[0], atol=1e-5
        )


@pytest.mark.parametrize("search", [greedy, all_symbols, beam_search])
def test_a_size_beyond_the_source_is_told(search):
    model, source = tiny.new_model(8), np.array([[5, 6, 3, 2], [5, 3, 2, 0]])
    width = [2] if search is beam_search else []
    search(model, source, np.array([4, 4]), *width)
    with pytest.raises(InputError, match="^size=9: more than the source's 4 columns"):
        search(model, source, np.array([4, 9]), *width)
