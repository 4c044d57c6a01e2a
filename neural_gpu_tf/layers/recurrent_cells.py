"""The cells that recurrent encoders and decoders are made of."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import keras
from keras import ops

from neural_gpu_tf.constants import CELLS
from neural_gpu_tf.layers.initializers import fresh
from neural_gpu_tf.layers.operations import as_tensor
from neural_gpu_tf.types import Tensor

Cells = Sequence[Callable[..., Any]]
"""Cells, layers or what `looping` makes of them."""


@keras.saving.register_keras_serializable("neural_gpu_tf")
class GRUCell(keras.layers.GRUCell):
    """Keras's GRU cell, its weights and its numbers, without dropout of its own.

    Keras cuts matrices into slices in every step, whose gradients fill whole matrices
    with zeros; here each is split once, and what is split is joined.

    Input shape: x_t [batch, e] and a list of h_{t-1} [batch, units]; `recurrent_parts`,
        where a loop hands them in.
    Output shape: h_t [batch, units], and a list of it.
    """

    def __init__(self, units: int, **kwargs: Any):
        super().__init__(units, **kwargs | {"reset_after": False})

    def call(
        self,
        inputs: Tensor,
        states: Sequence[Tensor],
        training: bool = False,
        recurrent: Sequence[Tensor] | None = None,
    ) -> tuple[Tensor, list[Tensor]]:
        (h,) = states
        gates_kernel, kernel = recurrent or self.recurrent_parts()
        x = ops.matmul(inputs, self.kernel) + self.bias
        x_gates, x = ops.split(x, [2 * self.units], axis=-1)
        gates = ops.sigmoid(x_gates + ops.matmul(h, gates_kernel))
        update, reset = ops.split(gates, 2, axis=-1)
        candidate = ops.tanh(x + ops.matmul(reset * h, kernel))
        h = candidate + update * (h - candidate)
        return h, [h]

    def recurrent_parts(self) -> list[Tensor]:
        """What h is multiplied by for the gates, and for the candidate."""
        kernel = as_tensor(self.recurrent_kernel, self.compute_dtype)
        return ops.split(kernel, [2 * self.units], axis=-1)


def new_cell(
    cell: str,
    units: int,
    kernel_initializer: Any = "glorot_uniform",
    recurrent_initializer: Any = "orthogonal",
    **kwargs: Any,
) -> keras.layers.Layer:
    """A cell h_t = cell(x_t, h_{t-1}).

    "gru" (Cho et al. 2014, "Learning Phrase Representations using RNN
    Encoder-Decoder for Statistical Machine Translation", §2.3), the reset gate before
    the matrix as there:

        z, r = σ(W_z x + U_z h + b_z),  σ(W_r x + U_r h + b_r)
        h'   = z ⊙ h + (1 - z) ⊙ tanh(W x + U (r ⊙ h) + b)

    "lstm" (Hochreiter & Schmidhuber 1997; Gers et al. 2000), b_f starting at 1:

        i, f, o = σ(W_i x + U_i h + b_i), σ(W_f x + U_f h + b_f), σ(W_o x + U_o h + b_o)
        c'      = f ⊙ c + i ⊙ tanh(W x + U h + b),  h' = o ⊙ tanh(c')

    Args:
        cell: "gru", whose state is h, or "lstm", whose state is h and c.
        units: the size of h.
        kernel_initializer: of the W; see `fresh`.
        recurrent_initializer: of the U; likewise.
        kwargs: name and dtype.

    Raises:
        ValueError: there is no such cell.
    """
    if cell not in CELLS:
        raise ValueError(f"cell={cell!r}: unknown; choose {' or '.join(CELLS)}")
    kwargs |= dict(
        kernel_initializer=fresh(kernel_initializer, "kernel"),
        recurrent_initializer=fresh(recurrent_initializer, "recurrent_kernel"),
    )
    if cell == "gru":
        return GRUCell(units, **kwargs)
    return keras.layers.LSTMCell(units, **kwargs)


def looping(cells: Sequence[keras.layers.Layer]) -> Cells:
    """The cells for the steps of a loop: a matrix that they split is split now."""
    return [
        partial(cell, recurrent=cell.recurrent_parts())
        if isinstance(cell, GRUCell)
        else cell
        for cell in cells
    ]


def state_tensors(cell: str) -> int:
    """How many tensors [batch, units] the state of a cell is."""
    return 1 + (cell == "lstm")
