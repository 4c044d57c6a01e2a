import numpy as np
import oracles
import pytest

from neural_gpu_tf.models import DiagonalNeuralGPU, build_model
from neural_gpu_tf.options import ModelConfig

VOCABULARY = 6
SIZES = np.array([5, 3, 1], "int32")


@pytest.mark.parametrize("width, kernel_size, layers", [(1, 5, 2), (2, 3, 1)])
def test_is_the_equation(width, kernel_size, layers):
    model = DiagonalNeuralGPU(
        VOCABULARY, maps=4, width=width, kernel_size=kernel_size, layers=layers
    )
    weights = oracles.model_weights(oracles.randomize(model, scale=0.6))
    source, target = np.random.default_rng(0).integers(0, VOCABULARY, (2, 3, 5))
    inputs = dict(source=source, target=target, size=SIZES)
    logits = np.array(model(inputs, training=True))
    costs = []
    for b, n in enumerate(SIZES):
        start = oracles.embed(source[b, :n], weights.E, width)
        last, cost = oracles.diagonal_encoder(start, weights.encoder)
        np.testing.assert_allclose(logits[b, :n], last[:, 0] @ weights.O, atol=1e-5)
        costs.append(cost)
    np.testing.assert_allclose(model.losses, [1e-3 * np.mean(costs)], rtol=1e-5)
    np.testing.assert_allclose(model.solve(source, SIZES), logits, atol=1e-6)


def test_options_of_a_cgru_do_not_reach_it():
    config = ModelConfig(model="diagonal_neural_gpu", maps=4, gate_bias=3.0)
    unit = build_model(config, VOCABULARY).encoder.units[0]
    np.testing.assert_allclose(unit.update_and_reset_bias, [0.7] * 4 + [0.5] * 4)
