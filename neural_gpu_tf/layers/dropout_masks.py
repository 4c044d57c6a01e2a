"""Random numbers of dropout inside a loop: what a step drops can be drawn again."""

from keras import ops

from neural_gpu_tf.layers.loops import BACKEND
from neural_gpu_tf.types import Tensor

if BACKEND == "tensorflow":
    import tensorflow as tf
elif BACKEND == "jax":
    import jax
else:
    import torch


def own_seed(seed: Tensor) -> Tensor:
    """A `SeedGenerator`'s seed, another one on each replica of a strategy.

    The generators of all replicas count alike; without this they would drop alike.
    """
    if BACKEND != "tensorflow":
        return seed
    context = tf.distribute.get_replica_context()
    replica = 0 if context is None else context.replica_id_in_sync_group
    # SeedGenerator counts in the second number.
    return seed + tf.stack([2_000_000_011 * tf.cast(replica, seed.dtype), 0])


def kept_cells(like: Tensor, rate: Tensor, seed: Tensor, t: Tensor) -> Tensor:
    """What dropout keeps: bool, of the shape of `like`.

    A function of (seed, t) alone, so that it can be drawn again. From 16 random bits
    each, so the rate is a multiple of 1/65,536.

    Args:
        like: gives the shape.
        rate: probability of False; a float32 that broadcasts to `like`.
        seed: what `keras.random.SeedGenerator.next` returns, [2].
        t: the step.
    """
    least = ops.cast(ops.round(65536.0 * ops.cast(rate, "float32")), "int32")
    least = ops.cast(ops.minimum(least, 65535), "uint16")
    if BACKEND == "torch":
        return _drawn_in_torch(like, seed, t) >= ops.cast(least, "int32")
    if BACKEND == "jax":
        key = jax.random.fold_in(jax.random.wrap_key_data(seed.astype("uint32")), t)
        return jax.random.bits(key, like.shape, "uint16") >= least
    # SeedGenerator counts in the second number; the step goes into the first.
    first, second = tf.unstack(tf.cast(seed, "int64"))
    seed = tf.stack([first + 1_000_003 * (tf.cast(t, "int64") + 1), second])
    count = tf.size(like)
    drawn = tf.random.stateless_uniform(
        [(count + 1) // 2], seed, minval=None, maxval=None, dtype="int32"
    )
    drawn = tf.reshape(tf.bitcast(drawn, "uint16"), [-1])[:count]
    return tf.reshape(drawn, tf.shape(like)) >= least


def _drawn_in_torch(like: Tensor, seed: Tensor, t: int) -> Tensor:
    """16 random bits for each number of `like`."""
    first, second = (int(x) % 2**32 for x in seed)
    mixed = ((first << 32) + second + 1_000_003 * (t + 1)) % 2**63
    generator = torch.Generator(like.device).manual_seed(mixed)
    sizes = {"dtype": torch.int32, "device": like.device}
    return torch.randint(2**16, like.shape, generator=generator, **sizes)


def dropout_mask(like: Tensor, rate: Tensor, seed: Tensor, t: Tensor) -> Tensor:
    """What inverted dropout multiplies `like` by: 0, or 1 / (1 - rate).

    Args: as `kept_cells`; and of the dtype of `like`.
    """
    keep = ops.cast(kept_cells(like, rate, seed, t), like.dtype)
    return keep / ops.cast(1.0 - rate, like.dtype)
