"""The canvas [batch, n, w, m]: which of its cells exist, and how it starts.

An example's canvas has its own number of columns n_b (its `size`); the tensor has
n ≥ n_b of them, because it is shared by a batch. Columns k ≥ n_b are zero at every
step, and after n_b steps the example holds its state, so its result does not
depend on the batch it sits in.

Between layers a canvas is [batch, n, w, m]. Inside the units and their loops it lies
*by rows*, [batch, w, n, m]: a convolution works along the last axis of space, and n is
long where w is short. On a CPU that makes a convolution 1.2 times as fast with m = 64
and w = 4, and 1.6 times with m = 24.
"""

from keras import ops

from neural_gpu_tf.types import Tensor


def by_rows(canvas: Tensor) -> Tensor:
    """[batch, n, w, m] as [batch, w, n, m], or back."""
    return ops.transpose(canvas, (0, 2, 1, 3))


def column_mask(size: Tensor, columns: Tensor | int, dtype: str = "float32") -> Tensor:
    """1 for the columns k < n_b of each example, else 0.

    Args:
        size: n_b, int [batch].
        columns: n.

    Returns:
        [batch, n, 1, 1], to be multiplied into a canvas.
    """
    mask = (
        ops.arange(columns, dtype="int32")[None, :] < ops.cast(size, "int32")[:, None]
    )
    return ops.expand_dims(ops.cast(mask, dtype), (2, 3))


def mask_or_all(mask: Tensor | None, rows: Tensor) -> Tensor:
    """The mask, or one that has all of the rows, [batch, n], if there is none."""
    if mask is None:
        return ops.ones(ops.shape(rows)[:2], dtype="bool")
    return mask


def active_cells(mask: Tensor, size: Tensor, t: Tensor | int) -> Tensor:
    """The cells that step `t` changes: those of examples with t < n_b.

    Args:
        mask: `column_mask(size, n)`, or that by rows.
        size: n_b, int [batch].
        t: the step, from 0.

    Returns:
        1 or 0, of the shape of `mask`.
    """
    running = ops.cast(ops.cast(size, "int32") > ops.cast(t, "int32"), mask.dtype)
    return mask * running[:, None, None, None]


def check_vectors(
    owner: str, canvas: Tensor, vectors: Tensor, on_tape: bool = False
) -> None:
    """Raises ValueError unless a target has as many vectors as the canvas columns.

    Those to be written on a tape must also have as many numbers as the canvas maps.
    """
    maps, numbers = canvas.shape[-1], vectors.shape[-1]
    if on_tape and maps != numbers:
        raise ValueError(
            f"{owner}: the target's vectors have {numbers} components, the canvas "
            f"{maps} maps; they must be equal"
        )
    columns, given = canvas.shape[1], vectors.shape[1]
    if None not in (columns, given) and columns != given:
        raise ValueError(
            f"{owner}: the target has {given} columns, the canvas {columns}; pad "
            "both to the same length (size is how many columns are valid)"
        )


def first_row(vectors: Tensor, width: int) -> Tensor:
    """Puts a vector in row 0 of each column; the other rows are 0.

    This is s_0 of the Neural GPU: s_0[k, 0] = E[i_k] (Kaiser & Sutskever 2016, §2).

    Args:
        vectors: [batch, n, m].
        width: w.

    Returns:
        [batch, n, w, m].
    """
    return ops.pad(
        ops.expand_dims(vectors, 2), [[0, 0], [0, 0], [0, width - 1], [0, 0]]
    )


def transposed_kernel(kernel: Tensor) -> Tensor:
    """The kernel whose convolution is the adjoint of convolving with `kernel`.

    For odd kernel sizes and stride 1, <x * K, y> = <x, y * K'> with
    K'[i, j, b, a] = K[kw-1-i, kn-1-j, a, b]. Several kernels may be stacked.
    """
    return ops.swapaxes(ops.flip(kernel, axis=(-4, -3)), -1, -2)
