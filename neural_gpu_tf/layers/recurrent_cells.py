"""The cells that recurrent encoders and decoders are made of: Keras's own."""

from typing import Any

import keras

from neural_gpu_tf.errors import InputError

CELLS = ("gru", "lstm")


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
        kernel_initializer: of the W; a clone, so that no two cells start alike.
        recurrent_initializer: of the U; likewise.
        kwargs: name and dtype.

    Raises:
        InputError: there is no such cell.
    """
    if cell not in CELLS:
        raise InputError(f"cell {cell!r}: there is none; choose {' or '.join(CELLS)}")
    kwargs |= dict(
        kernel_initializer=fresh(kernel_initializer),
        recurrent_initializer=fresh(recurrent_initializer),
    )
    if cell == "gru":
        return keras.layers.GRUCell(units, reset_after=False, **kwargs)
    return keras.layers.LSTMCell(units, **kwargs)


def state_tensors(cell: str) -> int:
    """How many tensors [batch, units] the state of a cell is."""
    return 1 + (cell == "lstm")


def fresh(initializer: Any) -> keras.initializers.Initializer:
    """The same initializer, drawing other numbers."""
    return keras.initializers.get(initializer).clone()
