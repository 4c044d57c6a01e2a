import numpy as np
import oracles
import pytest

from neural_gpu_tf.layers.gates import (
    cutoff_gate,
    cutoff_gate_complement,
    cutoff_gate_gradient,
)

X = np.linspace(-9, 9, 181)


@pytest.mark.parametrize("cutoff", [1.0, 1.2, 1.5])
def test_is_the_equation(cutoff):
    gate = cutoff_gate(X.astype("float32"), cutoff)
    np.testing.assert_allclose(gate, oracles.cutoff_gate(X, cutoff), atol=1e-6)


def test_published_gate_reaches_zero_and_one():
    gate = np.array(cutoff_gate(np.float32([-2.5, -2.3, 0, 2.3, 2.5])))
    assert gate[0] == 0 and gate[4] == 1 and abs(gate[2] - 0.5) < 1e-6
    assert 0 < gate[1] < 0.01 and 0.99 < gate[3] < 1


def test_plain_sigmoid_never_reaches_them():
    gate = np.array(cutoff_gate(np.float32([-5, 5]), 1.0))
    assert 0 < gate[0] and gate[1] < 1


@pytest.mark.parametrize("cutoff", [1.0, 1.2, 1.5])
def test_gradient_is_the_slope(cutoff):
    """Wherever the gate has one: not where it is just cut off."""
    h = 1e-5
    slope = oracles.cutoff_gate(X + h, cutoff) - oracles.cutoff_gate(X - h, cutoff)
    gradient = np.array(cutoff_gate_gradient(cutoff_gate(X, cutoff), cutoff))
    np.testing.assert_allclose(gradient, slope / (2 * h), atol=1e-8)
    if cutoff > 1:
        assert gradient[0] == 0 and gradient[-1] == 0


@pytest.mark.parametrize("cutoff", [1.0, 1.2, 1.5])
def test_the_complement_is_what_is_missing_to_1_where_active(cutoff):
    active = np.arange(X.size) % 2
    complement = np.array(cutoff_gate_complement(X, active.astype(X.dtype), cutoff))
    gate = oracles.cutoff_gate(X, cutoff)
    np.testing.assert_allclose(complement, active * (1 - gate), atol=1e-12)
    assert (complement[active == 0] == 0).all()
    # Its slope has the size of the gate's, and none is where it is not active.
    np.testing.assert_allclose(
        cutoff_gate_gradient(complement, cutoff),
        active * np.array(cutoff_gate_gradient(gate, cutoff)),
        atol=1e-12,
    )
