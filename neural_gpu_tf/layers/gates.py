"""Gate nonlinearities and their derivatives."""

from keras import ops

from neural_gpu_tf.types import Tensor


def cutoff_gate(x: Tensor, cutoff: float = 1.2) -> Tensor:
    """A sigmoid that reaches 0 and 1: σ'(x) = max(0, min(1, c σ(x) - (c - 1)/2)).

    With the published c = 1.2 this is max(0, min(1, 1.2 σ(x) - 0.1)), the "gate
    cutoff" of "Neural GPUs Learn Algorithms" (Kaiser & Sutskever 2016, §3).
    With c = 1 it is the plain sigmoid.

    Args:
        x: pre-activations, any shape.
        cutoff: c, at least 1.

    Returns:
        The gate, of the shape of `x`, in [0, 1].
    """
    gate = ops.sigmoid(x)
    if cutoff == 1.0:
        return gate
    return ops.clip(cutoff * gate - (cutoff - 1) / 2, 0.0, 1.0)


def cutoff_gate_complement(
    x: Tensor, active: Tensor | float, cutoff: float = 1.2
) -> Tensor:
    """a (1 - σ'(x)), a being 1 or 0: min(a, max(0, (c + 1)/2 - c σ(x))).

    Args:
        x: pre-activations, any shape.
        active: a, broadcastable to it.
        cutoff: c, as for `cutoff_gate`.

    Returns:
        Of the shape of `x`.
    """
    gate = ops.sigmoid(x)
    if cutoff == 1.0:
        return ops.minimum(1.0 - gate, active)
    return ops.relu(ops.minimum((cutoff + 1) / 2 - cutoff * gate, active))


def cutoff_gate_gradient(gate: Tensor, cutoff: float = 1.2) -> Tensor:
    """dσ'/dx, from the value of the gate alone.

    With h = (c - 1)/2 and g = c σ - h strictly between 0 and 1, σ = (g + h)/c, so
    dg/dx = c σ (1 - σ) = (g (1 - g) + h (1 + h))/c; where the gate is cut off, 0.

    Args:
        gate: what `cutoff_gate` returned, or 1 minus that, which gives the same.
        cutoff: c, as given to `cutoff_gate`.
    """
    square = gate * (1.0 - gate)
    if cutoff == 1.0:
        return square
    h = (cutoff - 1) / 2
    slope = (square + h * (1.0 + h)) * (1.0 / cutoff)
    return slope * ops.sign(square)  # g (1 - g) > 0 only strictly inside


def hard_tanh(x: Tensor) -> Tensor:
    """τ(x) = max(-1, min(1, x)) (Freivalds & Liepins 2017, §3)."""
    return ops.clip(x, -1.0, 1.0)


def beyond(x: Tensor, limit: float) -> Tensor:
    """max(0, |x| - limit)."""
    return ops.relu(ops.abs(x) - limit)
