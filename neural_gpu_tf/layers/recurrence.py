"""A recurrent layer over all steps of its input, with a gradient by hand.

What can be done for all steps at once stands outside the loops: the products with the
input before, the gradients of the matrices after.
"""

from collections.abc import Sequence
from typing import Any

import keras
from keras import ops

from neural_gpu_tf.layers.cell_steps import CellSteps
from neural_gpu_tf.layers.loops import own_gradient, record_loop, stack
from neural_gpu_tf.layers.operations import as_tensor
from neural_gpu_tf.types import Tensor


def by_steps(x: Tensor) -> Tensor:
    """[batch, n, …] as [n, batch, …], and back."""
    return ops.transpose(x, (1, 0, *range(2, len(x.shape))))


def project(steps: CellSteps, x: Tensor, kernel: Tensor, bias: Tensor) -> list[Tensor]:
    """The parts of x W + b.

    Args:
        steps: the cell's.
        x: [n, batch, e].
        kernel, bias: W and b.

    Returns:
        Each [n, batch, …].
    """
    flat = ops.reshape(x, (-1, x.shape[-1]))
    leading = ops.shape(x)[:2]
    return [
        ops.reshape(ops.matmul(flat, w) + b, (*leading, w.shape[-1]))
        for w, b in zip(steps.split(kernel), steps.split(bias), strict=True)
    ]


def recur(
    steps: CellSteps,
    given: Sequence[Tensor],
    recurrent: Sequence[Tensor],
    start: Sequence[Tensor],
    mask: Tensor | None = None,
    reverse: bool = False,
    training: bool = True,
) -> tuple[Tensor, tuple[Tensor, ...]]:
    """A cell's states, one step after the other.

    Args:
        steps: the cell's.
        given: the parts of x W + b, each [n, batch, …], from `project`.
        recurrent: the parts of U.
        start: the state before the first step, each [batch, units].
        mask: bool [n, batch, 1]: the steps that an example has; in the others its
            state stays as it is. None: it has all.
        reverse: the first step is the last one.
        training: whether the gradient is that by hand; without, nothing is kept for
            it, and it is the backend's own.

    Returns:
        h of every step [n, batch, units], and the last state.
    """
    if not training:
        # Turned round outside the loop: ONNX has what steps give in their order alone.
        turned = [ops.flip(x, 0) for x in given] if reverse else given
        exists = ops.flip(mask, 0) if reverse and mask is not None else mask
        loop = _Loop(steps, ops.shape(given[0])[0], exists, False)
        outputs, last, _ = loop.forward(turned, recurrent, start, keep=False)
        return ops.flip(outputs, 0) if reverse else outputs, tuple(last)
    loop = _Loop(steps, ops.shape(given[0])[0], mask, reverse)
    sizes = [len(given), len(recurrent)]

    def run(*flat: Tensor) -> tuple[Any, Any]:
        given, recurrent, start = (
            flat[: sizes[0]],
            flat[sizes[0] : sum(sizes)],
            flat[sum(sizes) :],
        )
        outputs, last, residuals = loop.forward(given, recurrent, start, keep=True)

        def gradient(by_outputs: Tensor, *by_last: Tensor) -> tuple[Tensor, ...]:
            return loop.backward(recurrent, residuals, by_outputs, by_last)

        return (outputs, *last), gradient

    outputs, *last = own_gradient(run)(*given, *recurrent, *start)
    return outputs, tuple(last)


def recur_cell(
    steps: CellSteps,
    cell: keras.layers.Layer,
    x: Tensor,
    start: Sequence[Tensor],
    mask: Tensor | None = None,
    reverse: bool = False,
    training: bool = True,
) -> tuple[Tensor, tuple[Tensor, ...]]:
    """`recur` of a cell with its weights, given its input x, [n, batch, e]."""
    kernel, recurrent, bias = (
        as_tensor(weight, x.dtype)
        for weight in (cell.kernel, cell.recurrent_kernel, cell.bias)
    )
    given = project(steps, x, kernel, bias)
    recurrent = steps.split(recurrent)
    return recur(steps, given, recurrent, start, mask, reverse, training)


class _Loop:
    """Both loops of `recur`, with its arguments."""

    def __init__(
        self, steps: CellSteps, length: Any, mask: Tensor | None, reverse: bool
    ):
        self.steps = steps
        self.length = length
        self.masks = [] if mask is None else [mask]
        self.reverse = reverse

    def forward(
        self,
        given: Sequence[Tensor],
        recurrent: Sequence[Tensor],
        start: Sequence[Tensor],
        keep: bool,
    ) -> tuple[Tensor, list[Tensor], list[Any]]:
        """h of every step, the last state and, if they are kept, the residuals."""
        parts = len(given)

        def body(t: Tensor, carry: list, now: list) -> tuple[list, list]:
            new, residual = self.steps.forward(recurrent, now[:parts], tuple(carry))
            for mask in now[parts:]:
                pairs = zip(new, carry, strict=True)
                new = tuple(ops.where(mask, x, old) for x, old in pairs)
            return list(new), [new[0], *(residual if keep else [])]

        last, (outputs, *residuals) = record_loop(
            body,
            start,
            self.length,
            [start[0]] * (1 + keep * self.steps.residuals),
            [*given, *self.masks],
            self.reverse,
        )
        return stack(outputs), last, residuals

    def backward(
        self,
        recurrent: Sequence[Tensor],
        residuals: Sequence[Any],
        by_outputs: Tensor,
        by_last: Sequence[Tensor],
    ) -> tuple[Tensor, ...]:
        """The gradients by the parts of a, those of U, and the state at the start."""
        transposed = [ops.transpose(x) for x in recurrent]
        masks = [ops.cast(mask, by_outputs.dtype) for mask in self.masks]

        def body(t: Tensor, carry: list, now: list) -> tuple[list, list]:
            by_output, *residual = now[len(masks) :]
            by_state = [carry[0] + by_output, *carry[1:]]
            passed = []
            for mask in now[: len(masks)]:
                passed, by_state = by_state, [x * mask for x in by_state]
                passed = [x - y for x, y in zip(passed, by_state, strict=True)]
            by_given, before = self.steps.backward(
                transposed, residual, tuple(by_state)
            )
            if passed:
                before = tuple(x + y for x, y in zip(before, passed, strict=True))
            return list(before), by_given

        units = by_outputs.shape[-1]
        like = [
            keras.KerasTensor((by_outputs.shape[1], k * units), by_outputs.dtype)
            for k in self.steps.parts
        ]
        by_start, by_given = record_loop(
            body,
            by_last,
            self.length,
            like,
            [*masks, by_outputs, *residuals],
            not self.reverse,
        )
        by_given = [stack(x) for x in by_given]
        stacked = [stack(x) for x in residuals]
        by_recurrent = self.steps.by_recurrent(stacked, by_given)
        return (*by_given, *by_recurrent, *by_start)
