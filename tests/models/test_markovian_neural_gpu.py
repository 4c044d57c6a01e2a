import numpy as np
import oracles
import pytest

from neural_gpu_tf.models import MarkovianNeuralGPU

VOCABULARY = 6
SIZES = np.array([5, 3, 1], "int32")


@pytest.mark.parametrize(
    "width, kernel_size, cutoff, layers", [(1, 5, 1.0, 2), (4, 3, 1.2, 1)]
)
def test_is_the_equation(width, kernel_size, cutoff, layers):
    model = MarkovianNeuralGPU(
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
    for b, n in enumerate(SIZES):
        expected = oracles.markovian_neural_gpu(
            source[b, :n], target[b, :n], weights, width, cutoff
        )
        np.testing.assert_allclose(logits[b, :n], expected, atol=1e-5)


def test_a_symbol_depends_on_the_one_before_it_alone():
    model = oracles.randomize(MarkovianNeuralGPU(VOCABULARY, maps=3, width=2, layers=1))
    source = np.random.default_rng(0).integers(0, VOCABULARY, (1, 5))
    target = np.array([[2, 3, 4, 5, 2]])
    inputs = dict(source=source, size=np.array([5]))
    plain = np.array(model(inputs | {"target": target}))[0]
    for k in range(5):
        other = target.copy()
        other[0, k] = 0
        changed = np.array(model(inputs | {"target": other}))[0] != plain
        np.testing.assert_array_equal(changed.any(-1), np.arange(5) == k + 1)
