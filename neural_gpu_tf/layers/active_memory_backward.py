"""Backward pass of the active-memory loop, by hand."""

from collections.abc import Sequence
from typing import Any

import keras
from keras import ops

from neural_gpu_tf.layers.active_memory_forward import Forward, Residuals
from neural_gpu_tf.layers.active_memory_tensors import (
    LoopTensors,
    add_to_column,
    add_to_set,
    column,
    cut,
    like_canvas,
    set_of_step,
    take,
    uncut,
)
from neural_gpu_tf.layers.loops import gradient_of, record_loop, stack
from neural_gpu_tf.types import Tensor


class Backward:
    """The gradient of `Forward`, from the last step to the first.

    Carried from step to step are the gradients of the canvas, of each unit's terms
    W * p (a tape's are sums over the later steps), of the tensors of a reading and, as
    sums over the later steps, of the weights.

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
        groups = (*self.tensors.kernels, *self.tensors.biases)
        weights = [x for group in groups for x in group]
        carry = [
            d_last,
            *(ops.zeros_like(x) for x in self.terms_like if self.forward.with_tape),
            *(ops.zeros_like(x) for x in self.tensors.read),
            *(ops.zeros(x.shape, _dtype_of_sum(x)) for x in weights),
        ]
        walk = self._in_segments if self.forward.checkpoints else self._at_once
        carry, d_written = walk(carry, d_readouts)
        own = len(carry) - len(weights)
        d_read = carry[own - len(self.tensors.read) : own]
        sums = zip(carry[own:], weights, strict=True)
        d_weights = [ops.cast(d, x.dtype) for d, x in sums]
        return (carry[0], *d_weights, *d_written, *d_read)

    def step(
        self, t: Tensor, carry: list[Tensor], inputs: list[Tensor]
    ) -> tuple[list[Tensor], list[Tensor]]:
        """Back through step t: each unit's `backward`, the last one first.

        What step t wrote the steps after t have read, so its gradient is read off the
        sum of their terms' gradients; then step t's own are added to the sum.

        Args:
            inputs: the gradient of the readout, then the units' masks and residuals.

        Returns:
            What is carried on; the gradients of what step t wrote.
        """
        forward = self.forward
        own = len(carry) - sum(2 * len(kernel) for kernel in self.tensors.kernels)
        carry, sums = carry[:own], carry[own:]
        d_canvas, *d_tapes = carry
        d_read = [d_tapes.pop() for _ in self.tensors.read][::-1]
        d_readout, *inputs = inputs
        keep = forward.keep([inputs.pop(0) for _ in forward.masks_like(d_canvas)])
        residuals = [take(inputs, unit.residual_type) for unit in self.units]
        d_canvas = add_to_column(d_canvas, d_readout, t)
        active = forward.active(t)
        adjoints = set_of_step(t, self.adjoints, forward.sets)
        by_unit: list[Any] = []
        for i in reversed(range(len(self.units))):
            d_canvas, d_term = self.units[i].backward(
                adjoints[i], residuals[i], active, d_canvas, keep[i], self.d_cost
            )
            by_unit = [d_term, *by_unit]
        d_terms = [x for d_term in by_unit for x in d_term]
        added = self._of_weights(residuals, by_unit)
        sums = [
            add_to_set(*pair, t, forward.sets) for pair in zip(sums, added, strict=True)
        ]
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
        return [d_canvas, *d_tapes, *d_read, *sums], d_written

    def _of_column(self, d_tapes: Sequence[Tensor], t: Tensor) -> list[Tensor]:
        """The gradients of what was written in column t, one a unit."""
        left = list(d_tapes)
        return [
            unit.read(take(left, unit.terms_type), like, t)
            for unit, like in zip(self.units, self.written_like, strict=True)
        ]

    def _of_weights(
        self, residuals: Sequence[Any], d_terms: Sequence[Any]
    ) -> list[Tensor]:
        """The gradients of one step's kernels and biases, in the order of `flat`."""
        d_kernels: list[Tensor] = []
        d_biases: list[Tensor] = []
        kernels = set_of_step(0, self.tensors.kernels, self.forward.sets)
        for unit, kernel, *rest in zip(
            self.units, kernels, residuals, d_terms, strict=True
        ):
            gradients = unit.weight_gradients(kernel, *rest)
            d_kernels += gradients[: len(kernel)]
            d_biases += gradients[len(kernel) :]
        return [*d_kernels, *d_biases]

    def _at_once(
        self, carry: list[Tensor], d_readouts: Tensor
    ) -> tuple[list[Tensor], list[Tensor]]:
        """Back through all steps."""
        return self.segment(0, carry, self.residuals, d_readouts)

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


def _dtype_of_sum(weight: Tensor) -> str:
    """That of a sum over steps: float32 at least."""
    return keras.backend.result_type(weight.dtype, "float32")
