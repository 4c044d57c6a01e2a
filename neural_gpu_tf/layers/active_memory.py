"""The loops of an active memory, which changes every cell of its canvas at every step.

The gradient of the whole loop is written by hand, for speed and memory. `Forward` keeps
of each unit its input, its gates and its candidate; `Backward` runs through these
residuals in reverse, so nothing is computed twice and no convolution of the tape stands
in the loop, and it sums up the gradients of the weights step by step. With checkpoints
the forward pass keeps only where each of O(√n) segments starts, and the backward pass
makes the residuals of one segment at a time again (Chen et al. 2016, "Training Deep
Nets with Sublinear Memory Cost", §4.1). A tape's terms are not kept: they follow from
what was written, unless something is read before each step.

Steps may take several sets of weights in turn (Kaiser & Sutskever 2016, §3, "parameter
sharing relaxation"). The sets of each weight are stacked, [r, …], and step t takes set
t mod r, to whose gradient it adds.
"""

from collections.abc import Sequence
from typing import Any

import keras
from keras import ops

from neural_gpu_tf.layers.active_memory_backward import Backward
from neural_gpu_tf.layers.active_memory_forward import Forward, Reading, step
from neural_gpu_tf.layers.active_memory_tensors import (
    LoopTensors,
    set_of_step,
    unit_weights,
)
from neural_gpu_tf.layers.canvas import active_cells, by_rows, column_mask
from neural_gpu_tf.layers.canvas_unit import CanvasUnit
from neural_gpu_tf.layers.loops import own_gradient, record_loop, stack
from neural_gpu_tf.types import Tensor

__all__ = ["Reading", "decode", "encode", "run", "step"]


def run(
    units: Sequence[CanvasUnit],
    canvas: Tensor,
    size: Tensor,
    vectors: Tensor | None = None,
    dropout: Tensor | float = 0.0,
    seed: Tensor | None = None,
    reading: Reading | None = None,
    checkpoints: bool = False,
    relaxations: int = 1,
) -> tuple[Tensor, Tensor, Tensor]:
    """Applies the units n_b times to the canvas of each example b.

    Without `vectors` this is the encoder, s_{t+1} = CGRU_l(… CGRU_1(s_t) …); with
    them the teacher-forced decoder, whose units are `OnTape` and whose step t is
    followed by writing vectors[:, t] = E' o_t on column t of the tape.
    (Kaiser & Bengio 2016, §2.1 and §2.2.)

    Args:
        units: the l units of a step, or those of set 0, of set 1 … of set r - 1.
        canvas: [batch, n, w, m], zero in the columns k ≥ n_b.
        size: n_b, int [batch], at most n.
        vectors: [batch, n, m] or None.
        dropout: the rate at which cells of the canvas are dropped before each step (or
            of each candidate, see `CanvasUnit.drops_candidate`); a scalar or
            [batch, 1, 1, 1].
        seed: for the dropout, from a `SeedGenerator`; None drops nothing.
        reading: what is read before each step and put on the tape too.
        checkpoints: for the gradient keep about 4√n canvases and the residuals of √n/4
            steps, in place of the residuals of all n, and compute every step twice.
        relaxations: r, the sets of which step t takes set t mod r; 1 with a tape.

    Returns:
        The last canvas [batch, n, w, m]; what was in row 0 of column t after step t,
        [batch, n, m]; the cost of saturation, summed over steps and units, [batch].
    """
    tensors = _tensors(units, vectors, reading, relaxations)
    canvas = by_rows(canvas)
    forward = Forward(
        units[: len(units) // relaxations],
        canvas,
        size,
        vectors is not None,
        dropout,
        seed,
        reading,
        checkpoints,
        relaxations,
    )
    last, readouts, cost = _with_own_gradient(forward, tensors, canvas)
    return by_rows(last), readouts, cost


def _with_own_gradient(
    forward: Forward, tensors: LoopTensors, canvas: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """`forward(tensors, canvas)`, whose gradient is `Backward`, not the backend's own.

    The backend sees one operation of the canvas and of all tensors of the loop.
    """

    def loop(canvas: Tensor, *flat: Tensor) -> tuple[Any, Any]:
        given = keras.tree.pack_sequence_as(tensors, list(flat))
        outputs, residuals = forward(given, canvas)

        def gradient(
            d_last: Tensor, d_readouts: Tensor, d_cost: Tensor
        ) -> tuple[Tensor, ...]:
            backward = Backward(forward, given, residuals, d_cost)
            d_canvas, d_tensors = backward(d_last, d_readouts)
            return d_canvas, *keras.tree.flatten(d_tensors)

        return outputs, gradient

    return own_gradient(loop)(canvas, *keras.tree.flatten(tensors))


def decode(
    units: Sequence[CanvasUnit],
    canvas: Tensor,
    size: Tensor,
    vectors: Tensor,
    reading: Reading | None = None,
) -> Tensor:
    """The readouts of `run` with a tape; it keeps nothing for a gradient.

    Args:
        units, canvas, size, vectors, reading: as for `run`.

    Returns:
        [batch, n, m].
    """
    tensors = _tensors(units, vectors, reading, 1)
    canvas = by_rows(canvas)
    forward = Forward(units, canvas, size, with_tape=True, reading=reading)

    def body(t: Tensor, carry: Any, written: list) -> tuple[Any, Tensor]:
        carry, kept = forward.step(tensors, t, carry, written)
        return carry, kept.readout

    start, like = forward.start(tensors, canvas), canvas[:, 0, 0]
    _, readouts = record_loop(body, start, forward.steps, like, tensors.written)
    return ops.transpose(stack(readouts), (1, 0, 2))


def _tensors(
    units: Sequence[CanvasUnit],
    vectors: Tensor | None,
    reading: Reading | None,
    sets: int,
) -> LoopTensors:
    """What the loop has a gradient of: weights, what is written, what is read."""
    kernels, biases = unit_weights(units, sets)
    written = []
    if vectors is not None:
        by_step = ops.transpose(vectors, (1, 0, 2))
        written = [unit.contributions(by_step) for unit in units]
    read = list(reading.tensors) if reading else []
    return LoopTensors(kernels, biases, written, read)


def encode(
    units: Sequence[CanvasUnit],
    canvas: Tensor,
    size: Tensor,
    trace: bool = False,
    relaxations: int = 1,
) -> Tensor:
    """The last canvas of `run` without a tape; it keeps nothing for a gradient.

    Args:
        units, canvas, size, relaxations: as for `run`.
        trace: return every canvas, s_0 … s_n, [n + 1, batch, n, w, m].
    """
    steps = ops.shape(canvas)[1]
    mask = by_rows(column_mask(size, steps, canvas.dtype))
    weights = unit_weights(units, relaxations)
    units = units[: len(units) // relaxations]

    def forward(t: Tensor, canvas: Tensor, _: Any) -> tuple[Tensor, list]:
        kernels, biases = (set_of_step(t, x, relaxations) for x in weights)
        active = active_cells(mask, size, t)
        new = step(units, kernels, biases, canvas, active)[0]
        return new, [new] * trace

    canvas = by_rows(canvas) * mask
    last, canvases = record_loop(forward, canvas, steps, [canvas] * trace)
    if not trace:
        return by_rows(last)
    return ops.swapaxes(ops.concatenate([canvas[None], stack(canvases[0])]), 2, 3)
