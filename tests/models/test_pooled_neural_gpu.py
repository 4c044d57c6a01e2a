import numpy as np
import oracles
import oracles_pooled
import pytest
import tensorflow as tf

from neural_gpu_tf.layers import CGRU, PooledDecoder, UnsharedEncoder
from neural_gpu_tf.models import PooledNeuralGPU

VOCABULARY = 6
SIZES = np.array([5, 3, 1], "int32")


def new_model(**options):
    options = dict(maps=3, embedding_size=2) | options
    return oracles.randomize(PooledNeuralGPU(VOCABULARY, **options))


def batch():
    rng = np.random.default_rng(0)
    source = rng.integers(1, VOCABULARY, (3, 5), "int32")
    target = rng.integers(0, VOCABULARY, (3, 5), "int32")
    return dict(source=source, target=target, size=SIZES)


@pytest.mark.parametrize("layers, kernel_size, cutoff", [(4, 3, 1.0), (1, 5, 1.2)])
def test_is_the_equation(layers, kernel_size, cutoff):
    """Logits and alignments."""
    model = new_model(layers=layers, kernel_size=kernel_size, cutoff=cutoff)
    inputs = batch()
    logits, alignments = np.array(model(inputs)), np.array(model.alignments(**inputs))
    for b, n in enumerate(SIZES):
        source, target = inputs["source"][b, :n], inputs["target"][b, :n]
        expected, winners = oracles_pooled.pooled_neural_gpu(source, target, model)
        np.testing.assert_allclose(logits[b, :n], expected, atol=1e-5)
        shares = (winners[:, :, None] == np.arange(n)).mean(axis=1)
        np.testing.assert_allclose(alignments[b, :n, :n], shares, atol=1e-6)
        assert not logits[b, n:].any()
        assert not alignments[b, n:].any() and not alignments[b, :, n:].any()


def test_numerical_gradients():
    decoder = PooledDecoder(CGRU(3, (3, 1), dtype="float64"), dtype="float64")
    rng = np.random.default_rng(1)
    memory, vectors = rng.normal(size=(2, 4, 1, 3)), rng.normal(size=(2, 5, 2))
    mask = np.array([[True] * 4, [True, True, False, False]])
    weights = rng.normal(size=(2, 5, 3))

    @tf.function(autograph=False)  # called for each number twice
    def loss(memory, vectors):
        return tf.reduce_sum(decoder(memory, vectors, mask) * weights)

    decoder.build(memory.shape, vectors.shape)
    theory, numbers = tf.test.compute_gradient(
        loss, [tf.constant(memory), tf.constant(vectors)], delta=1e-6
    )
    for by_rule, by_difference in zip(theory, numbers, strict=True):
        np.testing.assert_allclose(by_rule, by_difference, atol=1e-7)


def test_training_drops_what_is_told_and_repeats_with_the_seed():
    inputs = batch()
    models = [new_model(dropout=0.5, seed=seed) for seed in (3, 3, 4)]
    for model in models[1:]:
        for weight, value in zip(
            model.trainable_weights, models[0].trainable_weights, strict=True
        ):
            weight.assign(value)
    one, same, other = (np.array(model(inputs, training=True)) for model in models)
    np.testing.assert_array_equal(one, same)
    assert np.abs(one - other).max() > 1e-3
    assert np.abs(one - np.array(models[0](inputs))).max() > 1e-3
    again = np.array(models[0](inputs, training=True))
    assert np.abs(one - again).max() > 1e-3


def test_what_is_refused():
    with pytest.raises(ValueError, match="layers=0: must be at least 1"):
        new_model(layers=0)
    with pytest.raises(ValueError, match="dropout=2.0: must be in"):
        new_model(dropout=2.0)
    with pytest.raises(ValueError, match="needs a CanvasUnit at least"):
        UnsharedEncoder([])
    with pytest.raises(ValueError, match="takes canvases of width 1, not 2"):
        decoder = PooledDecoder(CGRU(3))
        decoder(np.zeros((1, 4, 2, 3)), np.zeros((1, 5, 2)), np.ones((1, 4), bool))


def test_an_empty_source_has_finite_logits_of_float16():
    model = new_model(dtype="mixed_float16")
    inputs = batch() | {"source": np.zeros((3, 5), "int32")}
    assert np.isfinite(np.array(model(inputs), "float32")).all()
