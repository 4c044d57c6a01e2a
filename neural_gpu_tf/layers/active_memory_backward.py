"""Backward pass of the active-memory loop, by hand."""

from collections.abc import Sequence
from typing import Any

from keras import ops

from neural_gpu_tf.layers.active_memory_forward import Forward, Residuals
from neural_gpu_tf.layers.active_memory_tensors import (
    LoopTensors,
    add_to_column,
    add_to_set,
    column,
    cut,
    set_of_step,
    take,
    uncut,
)
from neural_gpu_tf.layers.loops import gradient_of, record_loop, stack
from neural_gpu_tf.layers.operations import sum_dtype
from neural_gpu_tf.types import Tensor


class Backward:
    """The gradient of `Forward`, from the last step to the first.

    Carried from step to step are the gradients of the canvas, of each unit's terms
    W * p (a tape's are sums over the later steps), of the tensors of a reading, and of
    kernels and biases. The last are added up step by step, while what they are made of
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

    def __call__(self, d_last: Tensor, d_readouts: Tensor) -> tuple[Tensor, ...]:
        """The gradients of the canvas and of `LoopTensors.flat`.

        Args:
            d_last: the gradient of the last canvas by rows, [batch, w, n, m].
            d_readouts: that of the readouts, [batch, n, m].
        """
        d_readouts = ops.transpose(d_readouts, (1, 0, 2))
        tensors = self.tensors
        groups = (*tensors.kernels, *tensors.biases)
        weights = [x for group in groups for x in group]
        carry = [
            d_last,
            *self._no_tapes(),
            *(ops.zeros_like(x) for x in tensors.read),
            *(ops.zeros(x.shape, sum_dtype(x)) for x in weights),
        ]
        if self.forward.checkpoints:
            carry, d_written = self._in_segments(carry, d_readouts)
        else:
            carry, d_written = self.segment(0, carry, self.residuals, d_readouts)
        d_canvas, _, d_read, sums = self._parts(carry)
        pairs = zip(sums, weights, strict=True)
        d_weights = [ops.cast(d, x.dtype) for d, x in pairs]
        return (d_canvas, *d_weights, *d_written, *d_read)

    def _no_tapes(self) -> list[Tensor]:
        """0, of the shape of each unit's terms on a tape."""
        if not self.forward.with_tape:
            return []
        pairs = zip(self.units, self.tensors.biases, strict=True)
        terms = [unit.without_tape(bias, self.canvas) for unit, bias in pairs]
        return [ops.zeros_like(x) for term in terms for x in term]

    def _parts(self, carry: list[Tensor]) -> tuple[Tensor, list, list, list]:
        """The gradients of canvas, terms on a tape, what is read, and weights."""
        d_canvas, *rest = carry
        weights = 2 * sum(len(kernel) for kernel in self.tensors.kernels)
        rest, d_weights = rest[:-weights], rest[-weights:]
        tapes = len(rest) - len(self.tensors.read)
        return d_canvas, rest[:tapes], rest[tapes:], d_weights

    def step(
        self, t: Tensor, carry: list[Tensor], inputs: list[Tensor]
    ) -> tuple[list[Tensor], list[Tensor]]:
        """Back through step t: each unit's `backward_step`, the last one first.

        What step t wrote the steps after t have read, so its gradient is read off the
        sum of their terms' gradients; then step t's own are added to the sum.

        Args:
            inputs: the gradient of the readout, then the units' masks and residuals.

        Returns:
            What is carried on; the gradients of what step t wrote.
        """
        forward = self.forward
        d_canvas, d_tapes, d_read, d_weights = self._parts(carry)
        d_readout, *inputs = inputs
        keep = forward.keep([inputs.pop(0) for _ in forward.masks_like(d_canvas)])
        residuals = [take(inputs, unit.residual_type) for unit in self.units]
        d_canvas = add_to_column(d_canvas, d_readout, t)
        active = forward.active(t)
        adjoints = set_of_step(t, self.adjoints, forward.sets)
        d_terms: list[Any] = []
        for i in reversed(range(len(self.units))):
            d_canvas, d_term = self.units[i].backward_step(
                adjoints[i], residuals[i], active, d_canvas, keep[i], self.d_cost
            )
            d_terms = [d_term, *d_terms]
        d_weights = self._add_weights(t, d_weights, residuals, d_terms)
        d_written = []
        if forward.with_tape:
            d_written = self._of_column(d_tapes, t)
            flat = [x for d_term in d_terms for x in d_term]
            d_tapes = [a + b for a, b in zip(d_tapes, flat, strict=True)]
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
        return [d_canvas, *d_tapes, *d_read, *d_weights], d_written

    def _add_weights(
        self, t: Tensor, sums: list[Tensor], residuals: list[Any], d_terms: list[Any]
    ) -> list[Tensor]:
        """The gradients of kernels and biases, with those of step t added."""
        d_kernels: list[Tensor] = []
        d_biases: list[Tensor] = []
        sets = self.forward.sets
        kernels = set_of_step(t, self.tensors.kernels, sets)
        for unit, kernel, *given in zip(
            self.units, kernels, residuals, d_terms, strict=True
        ):
            gradients = unit.weight_gradients(kernel, *given)
            d_kernels += gradients[: len(kernel)]
            d_biases += gradients[len(kernel) :]
        pairs = zip(sums, [*d_kernels, *d_biases], strict=True)
        return [add_to_set(x, t, added, sets) for x, added in pairs]

    def _of_column(self, d_tapes: Sequence[Tensor], t: Tensor) -> list[Tensor]:
        """The gradients of what was written in column t, one a unit."""
        left = list(d_tapes)
        return [
            unit.read(take(left, unit.terms_type), like, t)
            for unit, like in zip(self.units, self.written_like, strict=True)
        ]

    def segment(
        self, j: Tensor | int, carry: list, residuals: list, d_readouts: Tensor
    ) -> tuple[list[Tensor], list[Tensor]]:
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
            [d_readouts, *residuals],
            reverse=True,
        )
        return carry, [stack(x) for x in d_written]

    def _in_segments(
        self, carry: list[Tensor], d_readouts: Tensor
    ) -> tuple[list[Tensor], list[Tensor]]:
        """Back through all segments, each of which is computed again before."""
        forward, tensors, starts = self.forward, self.tensors, self.residuals
        segments, length = forward.segments, forward.length

        def one(j: Tensor, carry: list, inputs: list) -> tuple[list, list]:
            d_readouts, *inputs = inputs
            kept, written = inputs[: len(starts)], inputs[len(starts) :]
            start = forward.carry_at(tensors, j * length, kept)
            _, residuals, _ = forward.segment(tensors, j, start, written)
            return self.segment(j, carry, residuals, d_readouts)

        written = [cut(x, segments, length) for x in tensors.written]
        carry, d_written = record_loop(
            one,
            carry,
            segments,
            [x[0] for x in written],
            [cut(d_readouts, segments, length), *starts, *written],
            reverse=True,
        )
        return carry, [uncut(stack(x), forward.steps) for x in d_written]
