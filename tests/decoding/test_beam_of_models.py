"""Beam search over models of the package."""

import dataclasses

import keras
import numpy as np
import pytest
import tensorflow as tf
import tiny
from scripted import Model

from neural_gpu_tf.constants import EOS, PAD
from neural_gpu_tf.decoding import beam_search, greedy


@pytest.fixture(scope="module")
def canvases():
    random = np.random.default_rng(0)
    size = np.array([3, 9, 6, 1, 9])
    source = random.integers(3, 8, (5, 9)) * (np.arange(9) < size[:, None])
    return source.astype(np.int32), size.astype(np.int32)


def test_in_a_graph_of_unknown_shapes_and_whatever_the_batch(canvases):
    source, size = canvases
    model = tiny.new_model(9)

    def search(source, size):
        return beam_search(model, source, size, 4, 3, length_penalty=0.8)

    in_graph = tf.function(
        search,
        input_signature=[
            tf.TensorSpec([None, None], tf.int32),
            tf.TensorSpec([None], tf.int32),
        ],
        autograph=False,
    )
    together = in_graph(source, size)
    assert together.symbols.shape == (5, 3, 9)
    for i, n in enumerate(size):
        alone = search(source[i : i + 1, :n], size[i : i + 1])
        np.testing.assert_array_equal(together.symbols[i, :, :n], alone.symbols[0])
        np.testing.assert_array_equal(together.finished[i], alone.finished[0])
        for name in ("log_probability", "score"):
            np.testing.assert_allclose(
                getattr(together, name)[i], getattr(alone, name)[0], atol=1e-4
            )
    assert 0 < together.finished.numpy().mean() < 1


@pytest.mark.parametrize("name", ["extended_neural_gpu", "neural_gpu"])
def test_of_real_models_one_is_greedy_and_all_are_what_teacher_forcing_says(
    canvases, name
):
    source, size = canvases
    model = tiny.new_model(9, dataclasses.replace(tiny.MODEL, model=name))
    expected = greedy(model, source, size)
    one = beam_search(model, source, size, 1)
    for value, other in zip(one.best, expected, strict=True):
        np.testing.assert_array_equal(value, other)
    some = beam_search(model, source, size, 5, 5, length_penalty=1.0)
    for rank in range(5):
        symbols = some.symbols.numpy()[:, rank]
        logits = model({"source": source, "target": symbols, "size": size})
        log_p = np.array(keras.ops.log_softmax(logits))
        log_p = np.take_along_axis(log_p, symbols[:, :, None], -1)[:, :, 0]
        there = symbols.any(axis=1)
        np.testing.assert_allclose(
            some.log_probability[:, rank][there],
            (log_p * (symbols != PAD)).sum(axis=1)[there],
            atol=1e-4,
        )
        lengths = (symbols != PAD).sum(axis=1)
        np.testing.assert_allclose(
            some.score[:, rank][there],
            (some.log_probability[:, rank] / ((5 + lengths) / 6))[there],
            atol=1e-5,
        )


def test_a_real_model_with_a_wide_beam_gives_the_best_of_all_outputs():
    """3 columns and 4 symbols besides EOS: 85 outputs, by teacher forcing."""
    model = tiny.new_model(7)
    source, size = np.array([[3, 4, 6]], np.int32), np.array([3], np.int32)
    words = (3, 4, 5, 6)
    outputs = [(EOS, 0, 0), *((a, EOS, 0) for a in words)]
    outputs += [(a, b, EOS) for a in words for b in words]
    target = np.array(outputs, np.int32)
    logits = model(
        {
            "source": np.repeat(source, len(target), 0),
            "target": target,
            "size": np.repeat(size, len(target)),
        }
    )
    log_p = np.array(keras.ops.log_softmax(logits))
    log_p = np.take_along_axis(log_p, target[:, :, None], -1)[:, :, 0]
    scores = (log_p * (target != PAD)).sum(1) / ((5 + (target != PAD).sum(1)) / 6)
    # Symbols that are never said make room for the widest beam: 4 · 4 · 5.
    wide = Padded(model, 82)
    found = beam_search(wide, source, size, 80, 8, length_penalty=1.0)
    best = np.argsort(-scores, kind="stable")[:8]
    np.testing.assert_array_equal(found.symbols[0], target[best])
    np.testing.assert_allclose(found.score[0], scores[best], atol=1e-4)
    assert found.finished.numpy().all()


class Padded(Model):
    """A model with symbols that are never said behind its own."""

    def __init__(self, model, symbols):
        self.model = model
        self.symbols = symbols
        self.start = model.start

    def step(self, state, previous, t):
        own = keras.ops.minimum(previous, 6)  # what is never said may be fed too
        state, logits = self.model.step(state, own, t)
        more = self.symbols - logits.shape[-1]
        return state, keras.ops.pad(
            logits, [[0, 0], [0, more]], constant_values=-np.inf
        )
