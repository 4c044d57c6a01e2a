"""Backward pass of the active-memory loop, by hand."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from keras import ops
from keras.tree import map_structure

from neural_gpu_tf.layers.active_memory_forward import Forward, Kept, Residuals
from neural_gpu_tf.layers.active_memory_tensors import (
    LoopTensors,
    add_to_column,
    add_to_set,
    column,
    cut,
    set_of_step,
    uncut,
)
from neural_gpu_tf.layers.loops import gradient_of, record_loop, stack
from neural_gpu_tf.layers.operations import sum_dtype
from neural_gpu_tf.types import Tensor


class Gradients(NamedTuple):
    """What is carried from step to step: gradients, so far."""

    canvas: Tensor
    tapes: list[Any]  # of each unit's W * p, sums over the later steps
    read: list[Tensor]  # of the tensors of a reading
    kernels: list[Any]
    biases: list[Any]


class Backward:
    """The gradient of `Forward`, from the last step to the first.

    Those of kernels and biases are added up step by step, while what they are made of
    is still in the processor's cache; so of the gradients of terms none is kept.

    Args:
        forward: the pass whose gradient it is.
        tensors: what that pass was called with.
        residuals: what it kept.
        d_cost: the gradient of the cost of saturation, [batch].
    """

    def __init__(
        self,
        forward: Forward,
        tensors: LoopTensors,
        residuals: Residuals,
        d_cost: Tensor,
    ):
        self.forward = forward
        self.units = forward.units
        self.tensors = tensors
        self.residuals = residuals.steps
        self.d_cost = d_cost
        self.canvas = residuals.canvas
        self.written_like = [x[0] for x in tensors.written]
        pairs = zip(self.units, tensors.kernels, strict=True)
        self.adjoints = [unit.adjoint(kernel) for unit, kernel in pairs]

    def __call__(
        self, d_last: Tensor, d_readouts: Tensor
    ) -> tuple[Tensor, LoopTensors]:
        """The gradients of the canvas and of the tensors.

        Args:
            d_last: the gradient of the last canvas by rows, [batch, w, n, m].
            d_readouts: that of the readouts, [batch, n, m].
        """
        d_readouts = ops.transpose(d_readouts, (1, 0, 2))
        weights = [self.tensors.kernels, self.tensors.biases]
        tapes = self.forward.start(self.tensors, self.canvas).terms
        carry = Gradients(
            d_last,
            *map_structure(ops.zeros_like, [tapes, self.tensors.read]),
            *map_structure(lambda x: ops.zeros(x.shape, sum_dtype(x)), weights),
        )
        if self.forward.checkpoints:
            carry, d_written = self._in_segments(carry, d_readouts)
        else:
            carry, d_written = self.segment(0, carry, self.residuals, d_readouts)
        sums = [carry.kernels, carry.biases]
        d_kernels, d_biases = map_structure(
            lambda d, x: ops.cast(d, x.dtype), sums, weights
        )
        return carry.canvas, LoopTensors(d_kernels, d_biases, d_written, carry.read)

    def step(
        self, t: Tensor, carry: Gradients, inputs: tuple[Tensor, Kept]
    ) -> tuple[Gradients, list[Tensor]]:
        """Back through step t: each unit's `backward_step`, the last one first.

        What step t wrote the steps after t have read, so its gradient is read off the
        sum of their terms' gradients; then step t's own are added to the sum.

        Args:
            inputs: the gradient of the readout, and what was kept of the step.

        Returns:
            What is carried on; the gradients of what step t wrote.
        """
        forward = self.forward
        d_canvas, d_tapes, d_read, *sums = carry
        d_readout, (masks, residuals, _) = inputs
        keep = forward.keep(masks)
        d_canvas = add_to_column(d_canvas, d_readout, t)
        active = forward.active(t)
        adjoints = set_of_step(t, self.adjoints, forward.sets)
        d_terms: list[Any] = []
        for i in reversed(range(len(self.units))):
            d_canvas, d_term = self.units[i].backward_step(
                adjoints[i], residuals[i], active, d_canvas, keep[i], self.d_cost
            )
            d_terms = [d_term, *d_terms]
        d_weights = self._weight_gradients(t, residuals, d_terms)
        sums = map_structure(
            lambda x, more: add_to_set(x, t, more, forward.sets), sums, d_weights
        )
        d_written = []
        if forward.with_tape:
            d_written = self._of_column(d_tapes, t)
            d_tapes = map_structure(ops.add, d_tapes, d_terms)
        if forward.reading:
            # What was written before step t, step t has read too.
            query = column(residuals[0].canvas, t)
            d_query, *added = gradient_of(
                forward.reading.function,
                [query, *self.tensors.read],
                self._of_column(d_tapes, t),
            )
            d_read = [a + b for a, b in zip(d_read, added, strict=True)]
            d_canvas = add_to_column(d_canvas, d_query, t)
        if forward.drops_canvas:
            d_canvas = d_canvas * forward.noise(d_canvas, active, t)
        return Gradients(d_canvas, d_tapes, d_read, *sums), d_written

    def _weight_gradients(
        self, t: Tensor, residuals: list[Any], d_terms: list[Any]
    ) -> list[list[Any]]:
        """The gradients of kernels and biases, of step t alone."""
        kernels = set_of_step(t, self.tensors.kernels, self.forward.sets)
        given = zip(self.units, kernels, residuals, d_terms, strict=True)
        found = [unit.weight_gradients(*each) for unit, *each in given]
        return [list(each) for each in zip(*found, strict=True)]

    def _of_column(self, d_tapes: Sequence[Any], t: Tensor) -> list[Tensor]:
        """The gradients of what was written in column t, one a unit."""
        given = zip(self.units, d_tapes, self.written_like, strict=True)
        return [unit.read(terms, like, t) for unit, terms, like in given]

    def segment(
        self, j: Tensor | int, carry: Gradients, kept: Kept, d_readouts: Tensor
    ) -> tuple[Gradients, list[Tensor]]:
        """Back through the steps of segment j.

        Returns:
            What is carried on; the gradients of what was written, [length, batch, …]
            each.
        """
        length = self.forward.length
        carry, d_written = record_loop(
            lambda i, *rest: self.step(j * length + i, *rest),
            carry,
            length,
            self.written_like,
            (d_readouts, kept),
            reverse=True,
        )
        return carry, stack(d_written)

    def _in_segments(
        self, carry: Gradients, d_readouts: Tensor
    ) -> tuple[Gradients, list[Tensor]]:
        """Back through all segments, each of which is computed again before."""
        forward, tensors = self.forward, self.tensors
        segments, length = forward.segments, forward.length

        def one(j: Tensor, carry: Gradients, inputs: tuple) -> tuple[Gradients, list]:
            d_readouts, kept, written = inputs
            start = forward.carry_at(tensors, j * length, kept)
            _, residuals = forward.segment(tensors, j, start, written)
            return self.segment(j, carry, residuals, d_readouts)

        written = [cut(x, segments, length) for x in tensors.written]
        carry, d_written = record_loop(
            one,
            carry,
            segments,
            [x[0] for x in written],
            (cut(d_readouts, segments, length), self.residuals, written),
            reverse=True,
        )
        return carry, [uncut(x, forward.steps) for x in stack(d_written)]
