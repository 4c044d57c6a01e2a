"""Forward pass of the active-memory loop."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import keras
from keras import ops

from neural_gpu_tf.layers.active_memory_tensors import (
    LoopTensors,
    column,
    cut,
    segment_sizes,
    set_of_step,
    uncut,
)
from neural_gpu_tf.layers.canvas import active_cells, by_rows, column_mask
from neural_gpu_tf.layers.canvas_unit import CanvasUnit, Keep
from neural_gpu_tf.layers.dropout_masks import dropout_mask, kept_cells
from neural_gpu_tf.layers.loops import record_loop, stack
from neural_gpu_tf.layers.operations import sum_dtype
from neural_gpu_tf.types import Tensor


class Reading(NamedTuple):
    """What a decoder reads before each step and writes on its tape.

    The function takes d_t[t, 0] [batch, m] and the tensors, and returns for each unit
    the contribution (`OnTape.contributions`) of what is written in column t before
    step t. Its gradient is the backend's own.
    """

    function: Callable[..., list[Tensor]]
    tensors: Sequence[Tensor]  # all of the function's that want a gradient


class Carried(NamedTuple):
    """What is carried from step to step."""

    canvas: Tensor  # by rows
    cost: Tensor  # of saturation so far, [batch]
    terms: list[Any]  # of each unit B + W * p_t; [] without a tape


class Kept(NamedTuple):
    """What is kept of a step."""

    masks: list[Tensor]  # of each unit, if dropout falls on candidates; else []
    residuals: list[Any]  # of each unit
    readout: Tensor  # d_{t+1}[t, 0]


class Residuals(NamedTuple):
    """What the forward pass keeps for the backward pass."""

    canvas: Tensor  # by rows, at the start
    steps: Any  # `Kept` of all steps; with checkpoints each segment's start


def step(
    units: Sequence[CanvasUnit],
    kernels: Sequence[Any],
    terms: Sequence[Any],
    canvas: Tensor,
    active: Tensor,
    keep: Sequence[Keep | None] | None = None,
) -> tuple[Tensor, list[Any], list[Tensor]]:
    """One step: CGRU_l(… CGRU_1(s) …), the units' residuals and saturation costs."""
    residuals, costs = [], []
    keep = keep or [None] * len(units)
    for unit, kernel, term, kept in zip(units, kernels, terms, keep, strict=True):
        canvas, residual, cost = unit.forward_step(kernel, term, canvas, active, kept)
        residuals.append(residual)
        costs += [cost] if unit.saturates else []
    return canvas, residuals, costs


class Forward:
    """The steps of the loop; see `active_memory.run`.

    Args:
        units: the l units of a step.
        canvas: by rows, [batch, w, n, m]; for its shape and dtype.
        size: n_b, int [batch].
        with_tape: whether each step writes on a tape.
        dropout, seed, reading, checkpoints: as for `active_memory.run`.
        sets: r.
    """

    def __init__(
        self,
        units: Sequence[CanvasUnit],
        canvas: Tensor,
        size: Tensor,
        with_tape: bool = False,
        dropout: Tensor | float = 0.0,
        seed: Tensor | None = None,
        reading: Reading | None = None,
        checkpoints: bool = False,
        sets: int = 1,
    ):
        self.units = units
        self.size = size
        self.with_tape = with_tape
        self.dropout = dropout
        self.seed = seed
        self.reading = reading
        self.checkpoints = checkpoints
        self.sets = sets
        self.steps = ops.shape(canvas)[2]
        self.mask = by_rows(column_mask(size, self.steps, canvas.dtype))
        self.drops_candidates = seed is not None and units[0].drops_candidate
        self.drops_canvas = seed is not None and not units[0].drops_candidate
        self.segments, self.length = (
            segment_sizes(self.steps, sets) if checkpoints else (1, self.steps)
        )

    def active(self, t: Tensor) -> Tensor:
        """The cells that step t changes."""
        return active_cells(self.mask, self.size, t)

    def noise(self, like: Tensor, active: Tensor, t: Tensor) -> Tensor:
        """What the canvas is multiplied by before step t, if dropout falls on it.

        Finished examples hold their state: nothing of theirs is dropped.
        """
        drawn = dropout_mask(like, self.dropout, self.seed, t)
        return 1.0 + active * (drawn - 1.0)

    def masks(self, t: Tensor, like: Tensor) -> list[Tensor]:
        """What dropout keeps of each unit's candidate in step t, if it falls there."""
        if not self.drops_candidates:
            return []
        count = len(self.units)
        numbers = [t * count + i for i in range(count)]
        return [kept_cells(like, self.dropout, self.seed, i) for i in numbers]

    def masks_like(self, canvas: Tensor) -> list[Any]:
        """A tensor of the static shape and dtype of each of `masks`."""
        like = keras.KerasTensor(canvas.shape, "bool")
        return [like] * (len(self.units) if self.drops_candidates else 0)

    def keep(self, masks: Sequence[Tensor]) -> list[Keep | None]:
        """The dropout of each unit's candidate."""
        if not masks:
            return [None] * len(self.units)
        scale = 1.0 / (1.0 - ops.cast(self.dropout, "float32"))
        return [Keep(mask, scale) for mask in masks]

    def start(self, tensors: LoopTensors, canvas: Tensor) -> Carried:
        """What is carried into step 0: s_0 or d_0, no cost, and B + W * 0."""
        no_cost = ops.zeros_like(canvas[:, 0, 0, 0], dtype=sum_dtype(canvas))
        terms = []
        if self.with_tape:
            pairs = zip(self.units, tensors.biases, strict=True)
            terms = [unit.without_tape(bias, canvas) for unit, bias in pairs]
        return Carried(canvas, no_cost, terms)

    def step(
        self, tensors: LoopTensors, t: Tensor, carry: Carried, written: Sequence[Tensor]
    ) -> tuple[Carried, Kept]:
        """Step t: d_{t+1} = CGRU_l(… CGRU_1(d_t, p_t) …, p_t), then p_{t+1}.

        Args:
            written: of each unit, the contribution of what is written in column t.
        """
        canvas, cost, terms = carry
        if not self.with_tape:
            terms = set_of_step(t, tensors.biases, self.sets)
        active = self.active(t)
        if self.drops_canvas:
            canvas = canvas * self.noise(canvas, active, t)
        if self.reading:
            read = self.reading.function(column(canvas, t), *tensors.read)
            terms = self._write(terms, read, t)
        kernels = set_of_step(t, tensors.kernels, self.sets)
        masks = self.masks(t, canvas)
        canvas, residuals, costs = step(
            self.units, kernels, terms, canvas, active, self.keep(masks)
        )
        kept = Kept(masks, residuals, column(canvas, t))
        after = self._write(terms, written, t) if self.with_tape else []
        return Carried(canvas, sum(costs, cost), after), kept

    def _write(self, terms: list, contributions: Sequence[Tensor], t: Tensor) -> list:
        triples = zip(self.units, terms, contributions, strict=True)
        return [unit.write(term, added, t) for unit, term, added in triples]

    def segment(
        self, tensors: LoopTensors, j: Tensor | int, carry: Carried, written: Sequence
    ) -> tuple[Carried, Kept]:
        """The steps j·length … (j + 1)·length - 1."""
        canvas = carry.canvas
        kinds: list[Any] = [unit.residual_type for unit in self.units]
        residuals = [kind(*[canvas] * len(kind._fields)) for kind in kinds]
        return record_loop(
            lambda i, *rest: self.step(tensors, j * self.length + i, *rest),
            carry,
            self.length,
            Kept(self.masks_like(canvas), residuals, canvas[:, 0, 0]),
            written,
        )

    def to_keep(self, carry: Carried) -> Carried | Tensor:
        """What `carry_at` needs; what was read follows from no contribution."""
        return carry if self.reading else carry.canvas

    def carry_at(self, tensors: LoopTensors, t: Tensor, kept: Any) -> Carried:
        """What was carried into step t; the cost so far is in no gradient."""
        if self.reading:
            return kept
        carry = self.start(tensors, kept)
        triples = zip(self.units, carry.terms, tensors.written, strict=self.with_tape)
        return carry._replace(
            terms=[unit.write_before(terms, each, t) for unit, terms, each in triples]
        )

    def __call__(
        self, tensors: LoopTensors, canvas: Tensor
    ) -> tuple[tuple[Tensor, Tensor, Tensor], Residuals]:
        """All steps.

        Returns:
            The last canvas by rows, the readouts [batch, n, m], the cost [batch]; and
            what the backward pass needs.
        """
        carry = self.start(tensors, canvas)
        if self.checkpoints:
            carry, kept, readouts = self._in_segments(tensors, carry)
        else:
            carry, kept = self.segment(tensors, 0, carry, tensors.written)
            readouts = stack(kept.readout)
        outputs = carry.canvas, ops.transpose(readouts, (1, 0, 2)), carry.cost
        return outputs, Residuals(canvas, kept)

    def _in_segments(
        self, tensors: LoopTensors, carry: Carried
    ) -> tuple[Carried, Any, Tensor]:
        """All steps, of which only what each segment starts from is kept."""

        def one(j: Tensor, carry: Carried, written: list) -> tuple[Carried, tuple]:
            after, kept = self.segment(tensors, j, carry, written)
            return after, (self.to_keep(carry), stack(kept.readout))

        canvas = carry.canvas
        like = keras.KerasTensor((None, *canvas[:, 0, 0].shape), canvas.dtype)
        written = [cut(x, self.segments, self.length) for x in tensors.written]
        carry, (starts, readouts) = record_loop(
            one, carry, self.segments, (self.to_keep(carry), like), written
        )
        return carry, starts, uncut(stack(readouts), self.steps)
