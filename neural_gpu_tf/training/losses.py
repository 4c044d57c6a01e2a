"""The training loss."""

from typing import Any

from keras import ops

Tensor = Any


def cross_entropy(
    logits: Tensor, target: Tensor, counted: Tensor, label_smoothing: float = 0.0
) -> tuple[Tensor, Tensor]:
    """Summed cross-entropy of the target's symbols.

        - Σ log p(o_k)                                          without smoothing
        - Σ [(1 - ε) log p(o_k) + ε/v Σ_i log p(i)]             (Szegedy et al. 2016)

    Args:
        logits: [batch, n, v].
        target: [batch, n] symbols.
        counted: bool [batch, n], which of them count.
        label_smoothing: ε.

    Returns:
        The sum, a float32 scalar, and how many symbols it is over, float32.
    """
    logits = ops.cast(logits, "float32")
    weights = ops.cast(counted, "float32")
    losses = ops.sparse_categorical_crossentropy(target, logits, from_logits=True)
    if label_smoothing:
        log_z = ops.logsumexp(logits, axis=-1)
        even = log_z - ops.mean(logits, axis=-1)
        losses = (1.0 - label_smoothing) * losses + label_smoothing * even
    return ops.sum(losses * weights), ops.sum(weights)
