"""Backward pass of the active-memory loop, by hand."""

from collections.abc import Sequence
from typing import Any

from keras import ops

from neural_gpu_tf.layers.active_memory_forward import Forward, Residuals
from neural_gpu_tf.layers.active_memory_tensors import (
    LoopTensors,
    add_to_column,
    column,
    cut,
    like_canvas,
    set_of_step,
    stack_sets,
    steps_as_batch,
    take,
    uncut,
)
from neural_gpu_tf.layers.loops import gradient_of, record_loop, stack
from neural_gpu_tf.types import Tensor


class Backward:
    """The gradient of `Forward`, from the last step to the first.

    Carried from step to step are the gradients of the canvas, of each unit's terms
    W * p (a tape's are sums over the later steps) and of the tensors of a reading.

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
        maps = [m for unit in self.units for m in unit.term_maps]
        self.terms_like = like_canvas(residuals.canvas, maps)
        self.written_like = [x[0] for x in tensors.written]
        pairs = zip(self.units, tensors.kernels, strict=True)
        self.adjoints = [unit.adjoint(kernel) for unit, kernel in pairs]

    def __call__(self, d_last: Tensor, d_readouts: Tensor) -> tuple[Tensor, ...]:
        """The gradients of the canvas and of `LoopTensors.flat`.

        Args:
            d_last: the gradient of the last canvas by rows, [batch, w, n, m].
            d_readouts: that of the readouts, [batch, n, m].
        """
        d_readouts = ops.transpose(d_readouts, (1, 0, 2))
        carry = [
            d_last,
            *(ops.zeros_like(x) for x in self.terms_like if self.forward.with_tape),
            *(ops.zeros_like(x) for x in self.tensors.read),
        ]
        if self.forward.checkpoints:
            carry, d_weights, d_written = self._in_segments(carry, d_readouts)
        else:
            carry, d_weights, d_written = self.segment(
                0, carry, self.residuals, d_readouts
            )
        d_read = carry[len(carry) - len(self.tensors.read) :]
        return (carry[0], *d_weights, *d_written, *d_read)

    def step(
        self, t: Tensor, carry: list[Tensor], inputs: list[Tensor]
    ) -> tuple[list[Tensor], list[Tensor]]:
        """Back through step t: each unit's `backward`, the last one first.

        What step t wrote the steps after t have read, so its gradient is read off the
        sum of their terms' gradients; then step t's own are added to the sum.

        Args:
            inputs: the gradient of the readout, then the units' residuals.

        Returns:
            What is carried on; the gradients of step t's terms and of what it wrote.
        """
        forward = self.forward
        d_canvas, *d_tapes = carry
        d_read = [d_tapes.pop() for _ in self.tensors.read][::-1]
        d_readout, *inputs = inputs
        residuals = [take(inputs, unit.residual_type) for unit in self.units]
        d_canvas = add_to_column(d_canvas, d_readout, t)
        active = forward.active(t)
        adjoints = set_of_step(t, self.adjoints, forward.sets)
        keep = forward.keep(t, d_canvas)
        d_terms: list[Tensor] = []
        for i in reversed(range(len(self.units))):
            d_canvas, d_term = self.units[i].backward(
                adjoints[i], residuals[i], active, d_canvas, keep(i), self.d_cost
            )
            d_terms = [*d_term, *d_terms]
        d_written = []
        if forward.with_tape:
            d_written = self._of_column(d_tapes, t)
            d_tapes = [a + b for a, b in zip(d_tapes, d_terms, strict=True)]
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
        return [d_canvas, *d_tapes, *d_read], [*d_terms, *d_written]

    def _of_column(self, d_tapes: Sequence[Tensor], t: Tensor) -> list[Tensor]:
        """The gradients of what was written in column t, one a unit."""
        left = list(d_tapes)
        return [
            unit.read(take(left, unit.terms_type), like, t)
            for unit, like in zip(self.units, self.written_like, strict=True)
        ]

    def segment(
        self, j: Tensor | int, carry: list, residuals: list, d_readouts: Tensor
    ) -> tuple[list[Tensor], list[Tensor], list[Tensor]]:
        """Back through the steps of segment j.

        Returns:
            What is carried on; the gradients of kernels and biases; those of what was
            written, [length, batch, …] each.
        """
        length = self.forward.length
        carry, gradients = record_loop(
            lambda i, *rest: self.step(j * length + i, *rest),
            carry,
            length,
            [*self.terms_like, *self.written_like],
            [d_readouts, *residuals],
            reverse=True,
        )
        d_written = [stack(x) for x in gradients]
        d_terms = [d_written.pop(0) for _ in self.terms_like]
        return carry, self._weights(residuals, d_terms), d_written

    def _weights(self, residuals: list[Any], d_terms: list[Tensor]) -> list[Tensor]:
        """The gradients of kernels and biases: one sum over all steps of each set."""
        sets = self.forward.sets
        residuals = [steps_as_batch(x, sets) for x in residuals]
        d_terms = [steps_as_batch(x, sets) for x in d_terms]
        return stack_sets(
            [
                self._weights_of_set(
                    i, [x[i] for x in residuals], [x[i] for x in d_terms]
                )
                for i in range(sets)
            ]
        )

    def _weights_of_set(
        self, i: int, residuals: list[Tensor], d_terms: list[Tensor]
    ) -> list[Tensor]:
        """The gradients of set i, from the residuals of its steps as one batch."""
        d_kernels: list[Tensor] = []
        d_biases: list[Tensor] = []
        kernels = set_of_step(i, self.tensors.kernels, self.forward.sets)
        for unit, kernel in zip(self.units, kernels, strict=True):
            gradients = unit.weight_gradients(
                kernel,
                take(residuals, unit.residual_type),
                take(d_terms, unit.terms_type),
            )
            d_kernels += gradients[: len(kernel)]
            d_biases += gradients[len(kernel) :]
        return [*d_kernels, *d_biases]

    def _in_segments(
        self, carry: list[Tensor], d_readouts: Tensor
    ) -> tuple[list[Tensor], list[Tensor], list[Tensor]]:
        """Back through all segments, each of which is computed again before."""
        forward, tensors, starts = self.forward, self.tensors, self.residuals
        segments, length = forward.segments, forward.length
        own = len(carry)

        def one(j: Tensor, carry: list, inputs: list) -> tuple[list, list]:
            carry, d_weights = carry[:own], carry[own:]
            d_readouts, *inputs = inputs
            kept, written = inputs[: len(starts)], inputs[len(starts) :]
            start = forward.carry_at(tensors, j * length, kept)
            _, residuals, _ = forward.segment(tensors, j, start, written)
            carry, added, d_written = self.segment(j, carry, residuals, d_readouts)
            d_weights = [a + b for a, b in zip(d_weights, added, strict=True)]
            return [*carry, *d_weights], d_written

        groups = (*tensors.kernels, *tensors.biases)
        weights = [ops.zeros_like(x) for group in groups for x in group]
        written = [cut(x, segments, length) for x in tensors.written]
        carry, d_written = record_loop(
            one,
            [*carry, *weights],
            segments,
            [x[0] for x in written],
            [cut(d_readouts, segments, length), *starts, *written],
            reverse=True,
        )
        d_written = [uncut(stack(x), forward.steps) for x in d_written]
        return carry[:own], carry[own:], d_written
