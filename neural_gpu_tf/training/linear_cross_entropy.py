"""Cross entropy of logits that are a matrix product, without keeping the logits."""

from typing import NamedTuple

import tensorflow as tf

_ROWS = 512
"""Fewest rows of logits at once: with fewer, adding the matrix's gradients counts."""

_NUMBERS = 2**22
"""Logits at once where there are few symbols: what a processor's cache holds."""


class Entropy(NamedTuple):
    """Of the symbols together and of each."""

    nats: tf.Tensor  # summed over the symbols, float32
    likeliest: tf.Tensor  # bool [rows]: whether no other symbol is likelier


def linear_cross_entropy(
    vectors: tf.Tensor, matrix: tf.Tensor, symbols: tf.Tensor, smoothing: float = 0.0
) -> Entropy:
    """Σ over the rows of `models.losses.cross_entropy` with logits x_i = r_i O.

        Σ_i [log Σ_j exp x_ij - (1 - ε) x_i,o - ε/v Σ_j x_ij]
        d/dx_ij = p_ij - (1 - ε) [j = o_i] - ε/v

    The gradient is made with the loss, some hundred rows at a time: of the [rows, v]
    logits and probabilities no more is ever kept, and they stay in the processor's
    cache. What smoothing adds is linear, so it needs no logits: Σ_j x_ij = r_i Σ_j O_j.

    Args:
        vectors: r, [rows, e].
        matrix: O, [e, v], of the same dtype; the logits are float32.
        symbols: o, int32 [rows].
        smoothing: ε.
    """

    @tf.custom_gradient
    def entropy(vectors: tf.Tensor, matrix: tf.Tensor):
        nats, likeliest, by_row, by_matrix = _with_gradients(
            vectors, matrix, symbols, 1.0 - smoothing
        )
        if smoothing:
            even = smoothing * tf.reduce_mean(matrix, axis=1)
            total = tf.reduce_sum(vectors, axis=0)
            nats -= tf.cast(tf.tensordot(total, even, 1), tf.float32)
            by_row -= even
            by_matrix -= (smoothing / matrix.shape[1]) * total[:, None]

        def gradient(by_nats: tf.Tensor, _: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
            by_nats = tf.cast(by_nats, vectors.dtype)
            return by_nats * by_row, by_nats * by_matrix

        return (nats, likeliest), gradient

    return Entropy(*entropy(vectors, matrix))


def _with_gradients(
    vectors: tf.Tensor, matrix: tf.Tensor, symbols: tf.Tensor, weight: float
) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor, tf.Tensor]:
    """Σ_i [log Σ_j exp x_ij - weight x_i,o], `likeliest`, and both gradients."""
    size, dtype = matrix.shape[1], vectors.dtype
    rows = max(_ROWS, _NUMBERS // size)
    chunks = tf.maximum(1, -(-tf.shape(vectors)[0] // rows))

    def array(of: tf.DType, *shape: int) -> tf.TensorArray:
        return tf.TensorArray(
            of, chunks, element_shape=(None, *shape), infer_shape=False
        )

    turned = tf.transpose(matrix)  # once, and the product with it is faster

    def part(i: tf.Tensor) -> tuple[tf.Tensor, ...]:
        here = slice(i * rows, (i + 1) * rows)
        some = vectors[here]
        nats, likeliest, by_logits = _softmax_part(
            tf.matmul(some, matrix), symbols[here], weight
        )
        by_matrix = tf.matmul(some, by_logits, transpose_a=True)
        return nats, by_matrix, likeliest, tf.matmul(by_logits, turned)

    def body(i: tf.Tensor, nats: tf.Tensor, by_matrix: tf.Tensor, *written):
        more, by_part, *of_rows = part(i)
        pairs = zip(written, of_rows, strict=True)
        arrays = [array.write(i, x) for array, x in pairs]
        return i + 1, nats + more, by_matrix + by_part, *arrays

    nats, by_matrix, *first = part(tf.constant(0))
    written = [array(tf.bool), array(dtype, vectors.shape[1])]
    written = [x.write(0, y) for x, y in zip(written, first, strict=True)]
    _, nats, by_matrix, likeliest, by_row = tf.while_loop(
        lambda i, *_: i < chunks,
        body,
        (tf.constant(1), nats, by_matrix, *written),
        parallel_iterations=1,
    )
    return nats, likeliest.concat(), by_row.concat(), by_matrix


def _softmax_part(
    logits: tf.Tensor, symbols: tf.Tensor, weight: float
) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
    """Σ_i [log Σ_j exp x_ij - weight x_i,o], `likeliest`, and the logits' gradient."""
    dtype = logits.dtype
    logits = tf.cast(logits, tf.float32)
    p = tf.nn.softmax(logits)
    best = tf.argmax(logits, axis=-1, output_type=tf.int32)

    def at(numbers: tf.Tensor, places: tf.Tensor) -> tf.Tensor:
        return tf.gather(numbers, places, batch_dims=1)

    highest = at(p, best)
    # log Σ_j exp x_ij by the likeliest symbol, whose p is at least 1/v.
    nats = at(logits, best) - tf.math.log(highest) - weight * at(logits, symbols)
    count, size = tf.unstack(tf.shape(p))
    with tf.control_dependencies([highest]):  # p is read no more: it may be changed
        by_logits = tf.raw_ops.InplaceSub(
            x=tf.reshape(p, [-1, 1]),
            i=tf.range(count) * size + symbols,
            v=tf.fill([count, 1], weight),
        )
    by_logits = tf.reshape(by_logits, [count, size])
    return tf.reduce_sum(nats), best == symbols, tf.cast(by_logits, dtype)
