"""Cross entropy of a target's symbols."""

from keras import ops

from neural_gpu_tf.types import Tensor


def cross_entropy(
    logits: Tensor, target: Tensor, label_smoothing: float = 0.0
) -> Tensor:
    """Cross entropy of each symbol, in nats.

        - log p(o_k)                                          without smoothing
        - [(1 - ε) log p(o_k) + ε/v Σ_i log p(i)]             (Szegedy et al. 2016)

    Args:
        logits: [batch, n, v].
        target: [batch, n] symbols.
        label_smoothing: ε.

    Returns:
        float32 [batch, n].
    """
    logits = ops.cast(logits, "float32")
    nats = ops.sparse_categorical_crossentropy(target, logits, from_logits=True)
    if label_smoothing:
        log_z = ops.logsumexp(logits, axis=-1)
        even = log_z - ops.mean(logits, axis=-1)
        nats = (1.0 - label_smoothing) * nats + label_smoothing * even
    return nats
