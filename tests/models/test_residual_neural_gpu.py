import numpy as np
import oracles
import pytest

from neural_gpu_tf.models import ResidualNeuralGPU

VOCABULARY = 6
SIZES = np.array([5, 3, 1], "int32")


@pytest.mark.parametrize("width, kernel_size, layers", [(1, 5, 2), (3, 3, 1)])
def test_is_the_equation(width, kernel_size, layers):
    model = ResidualNeuralGPU(
        VOCABULARY, maps=3, width=width, kernel_size=kernel_size, layers=layers
    )
    weights = oracles.model_weights(oracles.randomize(model, scale=0.1))
    source, target = np.random.default_rng(0).integers(0, VOCABULARY, (2, 3, 5))
    logits = np.array(model(dict(source=source, target=target, size=SIZES)))
    for b, n in enumerate(SIZES):
        expected = oracles.residual_neural_gpu(
            source[b, :n], target[b, :n], weights, width
        )
        np.testing.assert_allclose(logits[b, :n], expected, atol=1e-6)
