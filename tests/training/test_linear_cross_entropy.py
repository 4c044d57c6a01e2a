import numpy as np
import pytest
import tensorflow as tf

from neural_gpu_tf.models.losses import cross_entropy
from neural_gpu_tf.training import linear_cross_entropy as module
from neural_gpu_tf.training.linear_cross_entropy import linear_cross_entropy


def case(rows=7, width=5, size=11, dtype="float32", scale=1.0):
    rng = np.random.default_rng(0)
    vectors = tf.constant(scale * rng.standard_normal((rows, width)), dtype)
    matrix = tf.constant(rng.standard_normal((width, size)), dtype)
    return vectors, matrix, tf.constant(rng.integers(0, size, rows), tf.int32)


def plain(vectors, matrix, symbols, smoothing):
    """The sum by way of all logits, and which symbols are likeliest."""
    logits = tf.matmul(vectors, matrix)
    nats = cross_entropy(logits[None], symbols[None], smoothing)
    best = tf.argmax(logits, axis=-1, output_type=tf.int32)
    return tf.reduce_sum(nats), best == symbols


def with_gradients(function, vectors, matrix, symbols, smoothing):
    """What the function returns, and the gradients of three times its loss."""
    with tf.GradientTape() as tape:
        tape.watch([vectors, matrix])
        nats, likeliest = function(vectors, matrix, symbols, smoothing)
        loss = 3.0 * nats
    return nats, likeliest, *tape.gradient(loss, [vectors, matrix])


def assert_the_same(arguments, smoothing, tolerance):
    found = with_gradients(linear_cross_entropy, *arguments, smoothing)
    expected = with_gradients(plain, *arguments, smoothing)
    np.testing.assert_array_equal(found[1], expected[1])
    for one, other in zip(found, expected, strict=True):
        assert one.dtype == other.dtype and one.shape == other.shape
        one, other = (tf.cast(x, tf.float32).numpy() for x in (one, other))
        np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("rows", [1, 3, 7, 100])
def test_it_is_the_plain_loss_and_its_gradient(smoothing, rows, monkeypatch):
    """Three rows of logits at once, or all."""
    monkeypatch.setattr(module, "_NUMBERS", 1)
    monkeypatch.setattr(module, "_ROWS", rows)
    assert_the_same(case(), smoothing, 1e-5)


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_bfloat16(smoothing):
    assert_the_same(case(dtype="bfloat16"), smoothing, 0.05)


@pytest.mark.parametrize("scale", [1e-6, 1e3])
def test_logits_that_hardly_differ_and_logits_far_apart(scale):
    assert_the_same(case(scale=scale), 0.1, 1e-5 * max(scale, 1.0))


def test_of_equally_likely_symbols_the_first_is_the_likeliest():
    vectors, matrix = tf.zeros((3, 2)), tf.zeros((2, 4))
    found = linear_cross_entropy(vectors, matrix, tf.constant([0, 1, 3]))
    assert found.likeliest.numpy().tolist() == [True, False, False]
    assert float(found.nats) == pytest.approx(3 * np.log(4))


def test_no_symbol_at_all():
    vectors, matrix, symbols = case(rows=0)
    nats, likeliest, by_vectors, by_matrix = with_gradients(
        linear_cross_entropy, vectors, matrix, symbols, 0.1
    )
    assert float(nats) == 0 and likeliest.shape == (0,) and by_vectors.shape == (0, 5)
    assert not by_matrix.numpy().any()


def test_what_is_not_finite_is_seen():
    vectors, matrix, symbols = case()
    broken = vectors + tf.constant([[np.nan]] + 6 * [[0.0]])
    found = with_gradients(linear_cross_entropy, broken, matrix, symbols, 0.0)
    assert np.isnan(found[0]) and np.isnan(found[3]).all()


def test_a_graph_of_unknown_sizes(monkeypatch):
    monkeypatch.setattr(module, "_NUMBERS", 1)
    monkeypatch.setattr(module, "_ROWS", 3)
    specs = [
        tf.TensorSpec([None, 5]),
        tf.TensorSpec([5, 11]),
        tf.TensorSpec([None], tf.int32),
    ]
    traced = tf.function(
        lambda *x: with_gradients(linear_cross_entropy, *x, 0.1), input_signature=specs
    )
    for rows in (7, 2, 9):
        arguments = case(rows)
        expected = with_gradients(plain, *arguments, 0.1)
        for one, other in zip(traced(*arguments), expected, strict=True):
            np.testing.assert_allclose(one, other, atol=1e-5)
