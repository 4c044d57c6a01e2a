import numpy as np
import oracles
import oracles_recurrent
import pytest

from neural_gpu_tf.layers.fixed_memory import FixedMemory

EXISTS = np.array([[1, 1, 1, 1], [0, 1, 0, 1], [0, 0, 1, 0], [0, 0, 0, 0]], bool)
encodings = pytest.mark.parametrize("position_encoding", [False, True])


def annotations(seed=0):
    return np.random.default_rng(seed).standard_normal((4, 4, 3)).astype("float32")


def fixed_memory(**kwargs):
    layer = FixedMemory(5, **kwargs)
    layer.build((None, None, 3))
    return oracles.randomize(layer, scale=1.0)


@encodings
def test_is_the_equation(position_encoding):
    layer = fixed_memory(position_encoding=position_encoding)
    memory = layer(annotations(), EXISTS)
    weights = layer.weights_of(annotations(), EXISTS)
    for b, exists in enumerate(EXISTS):
        expected, alpha = oracles_recurrent.fixed_memory(
            annotations()[b][exists], np.array(layer.kernel), position_encoding
        )
        np.testing.assert_allclose(memory[b], expected, atol=1e-5)
        np.testing.assert_allclose(np.array(weights[b])[exists], alpha, atol=1e-5)
        assert not np.array(weights[b])[~exists].any()


@encodings
def test_what_does_not_exist_is_not_counted(position_encoding):
    layer = fixed_memory(position_encoding=position_encoding)
    other = np.where(EXISTS[:, :, None], annotations(), annotations(seed=1))
    np.testing.assert_array_equal(layer(other, EXISTS), layer(annotations(), EXISTS))


def test_the_first_position_tends_to_the_first_contexts_and_the_last_to_the_last():
    layer = FixedMemory(9, position_encoding=True, kernel_initializer="ones")
    weights = np.array(layer.weights_of(*build(layer)))[0]
    assert (np.diff(weights[0]) < 0).all()
    assert (np.diff(weights[-1]) > 0).all()


def build(layer):
    layer.build((None, None, 3))
    return np.ones((1, 6, 3), "float32"), np.ones((1, 6), bool)


def test_bfloat16_counts_long_sources():
    """s/S would be wrong if positions were counted in bfloat16."""
    rows, exists = np.ones((1, 1000, 3), "float32"), np.ones((1, 1000), bool)
    exact = fixed_memory(position_encoding=True)
    rounded = fixed_memory(position_encoding=True, dtype="mixed_bfloat16")
    assert rounded(rows, exists).dtype == "bfloat16"
    np.testing.assert_allclose(
        rounded.weights_of(rows, exists), exact.weights_of(rows, exists), atol=0.01
    )
