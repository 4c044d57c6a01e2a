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
