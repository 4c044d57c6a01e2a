import numpy as np
import oracles
import pytest

from neural_gpu_tf.models import NeuralGPU

VOCABULARY = 6
SIZES = np.array([5, 3, 1], "int32")


@pytest.mark.parametrize(
    "width, kernel_size, cutoff, layers",
    [(1, 5, 1.0, 2), (2, 3, 1.2, 3), (4, 5, 1.2, 1), (4, 3, 1.0, 2)],
)
def test_is_the_equation(width, kernel_size, cutoff, layers):
    model = NeuralGPU(
        VOCABULARY,
        maps=3,
        width=width,
        kernel_size=kernel_size,
        cutoff=cutoff,
        layers=layers,
    )
    weights = oracles.model_weights(oracles.randomize(model))
    source, target = np.random.default_rng(0).integers(0, VOCABULARY, (2, 3, 5))
    logits = np.array(model(dict(source=source, target=target, size=SIZES)))
    solved = np.array(model.solve(source, SIZES))
    for b, n in enumerate(SIZES):
        expected = oracles.neural_gpu(source[b, :n], weights, width, cutoff)
        np.testing.assert_allclose(logits[b, :n], expected, atol=1e-5)
        np.testing.assert_allclose(solved[b, :n], expected, atol=1e-5)


@pytest.mark.parametrize("padding", ["zero", "learned"])
def test_columns_of_padding_hold_nothing_unless_it_is_learned(padding):
    model = oracles.randomize(NeuralGPU(6, maps=3, width=2, padding=padding))
    source, size = np.array([[3, 4, 0, 0]], "int32"), np.array([4], "int32")
    first = np.array(model.encode(source, size, trace=True))[0, 0]
    assert first[:2, 0].all() and first[2:, 0].any() == (padding == "learned")
    before = np.array(model.solve(source, size))
    embeddings = model.source_embedding.embeddings
    embeddings.assign(np.concatenate([embeddings[:1] + 1, embeddings[1:]]))
    changed = np.abs(np.array(model.solve(source, size)) - before).max() > 1e-4
    assert changed == (padding == "learned")


def test_a_padding_that_is_none():
    with pytest.raises(ValueError, match="padding='ones': choose zero or learned"):
        NeuralGPU(6, maps=3, padding="ones")
