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


def test_columns_of_padding_hold_nothing():
    """Whatever the vector of PAD; with padding="learned" it is that vector."""
    sources = np.array([[3, 4, 0, 0]], "int32")
    size = np.array([4], "int32")
    logits = {}
    for padding in ("zero", "learned"):
        model = oracles.randomize(NeuralGPU(6, maps=3, width=2, padding=padding))
        before = np.array(model.solve(sources, size))
        assert not np.array(model.encode(sources, size, trace=True))[
            0, 0, 2:
        ].any() or (padding == "learned")
        embeddings = model.source_embedding.embeddings
        embeddings.assign(np.concatenate([embeddings[:1] + 1, embeddings[1:]]))
        logits[padding] = np.abs(np.array(model.solve(sources, size)) - before).max()
    assert logits["zero"] == 0 and logits["learned"] > 1e-4
