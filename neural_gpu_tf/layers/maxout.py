"""Maxout of pairs."""

from keras import ops

from neural_gpu_tf.types import Tensor


def maxout(u: Tensor) -> Tensor:
    """r_j = max(u_2j, u_2j+1), [..., 2 m] to [..., m].

    (Goodfellow et al. 2013, "Maxout Networks", with two pieces.)
    """
    # The gradients of a maximum over an axis of two, and of slices, are slower.
    first, second = ops.unstack(ops.reshape(u, (-1, 2)), axis=1)
    halved = (*ops.shape(u)[:-1], u.shape[-1] // 2)
    return ops.reshape(ops.maximum(first, second), halved)
