"""The loop of an active memory: every cell of the canvas changes at every step.

The gradient of the whole loop is written by hand, for speed and memory. Forward,
each unit records its input, its gates and its candidate (`cgru.Record`); backward
runs through the records in reverse, so nothing is computed twice, no convolution of
the tape stands in the loop, and biases cost one sum after it.
"""

from collections.abc import Callable, Sequence
from typing import Any

from keras import ops

from neural_gpu_tf.layers.canvas import active_cells, column_mask
from neural_gpu_tf.layers.canvas_unit import CanvasUnit
from neural_gpu_tf.layers.loops import dropout_mask, record_loop, stack

Tensor = Any


def step(
    units: Sequence[CanvasUnit],
    kernels: Sequence[Any],
    terms: Sequence[Any],
    canvas: Tensor,
    active: Tensor,
    keep: Callable[[int], Tensor | None] = lambda unit: None,
) -> tuple[Tensor, list[Any], list[Tensor]]:
    """One step: CGRU_l(… CGRU_1(s) …), the units' records and saturation costs."""
    records, costs = [], []
    for i, (unit, kernel, term) in enumerate(zip(units, kernels, terms, strict=True)):
        canvas, record, cost = unit.forward(kernel, term, canvas, active, keep(i))
        records.append(record)
        costs += [cost] if unit.saturates else []
    return canvas, records, costs


def run(
    units: Sequence[CanvasUnit],
    canvas: Tensor,
    size: Tensor,
    vectors: Tensor | None = None,
    dropout: Tensor | float = 0.0,
    seed: Tensor | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Applies the units n_b times to the canvas of each example b.

    Without `vectors` this is the encoder, s_{t+1} = CGRU_l(… CGRU_1(s_t) …); with
    them the teacher-forced decoder, whose units are `OnTape` and whose step t is
    followed by writing vectors[:, t] = E' o_t on column t of the tape.
    (Kaiser & Bengio 2016, §2.1 and §2.2.)

    Args:
        units: the l units of a step.
        canvas: [batch, n, w, m], zero in the columns k ≥ n_b.
        size: n_b, int [batch], at most n.
        vectors: [batch, n, m] or None.
        dropout: the rate at which cells of the canvas are dropped before each step (or
            of each candidate, see `CanvasUnit.drops_candidate`); a scalar or
            [batch, 1, 1, 1].
        seed: for the dropout, from a `SeedGenerator`; None drops nothing.

    Returns:
        The last canvas [batch, n, w, m]; what was in row 0 of column t after step t,
        [batch, n, m]; the cost of saturation, summed over steps and units, [batch].
    """
    steps = ops.shape(canvas)[1]
    mask = column_mask(size, steps, canvas.dtype)
    with_tape = vectors is not None
    dropping = seed is not None
    on_candidates = dropping and units[0].drops_candidate
    on_canvas = dropping and not on_candidates
    like_column = canvas[:, 0, 0]

    def noise(canvas: Tensor, active: Tensor, t: Tensor) -> Tensor:
        # Finished examples hold their state: nothing of theirs is dropped.
        drawn = dropout_mask(canvas, dropout, seed, t)
        return 1.0 + active * (drawn - 1.0)

    def keep_at(t: Tensor, like: Tensor) -> Callable[[int], Tensor | None]:
        """The dropout of each unit's candidate in step t."""
        if not on_candidates:
            return lambda i: None
        return lambda i: dropout_mask(like, dropout, seed, t * len(units) + i)

    def loop(canvas: Tensor, *tensors: Tensor) -> tuple[Any, Any]:
        tensors = list(tensors)
        kernels = [_take(tensors, unit.kernels_type) for unit in units]
        biases = [_take(tensors, unit.terms_type) for unit in units]
        contributions = tensors

        def forward(t, carry, inputs):
            canvas, cost, *carried = carry
            terms = biases
            if with_tape:
                terms = [_take(carried, unit.terms_type) for unit in units]
            active = active_cells(mask, size, t)
            if on_canvas:
                canvas = canvas * noise(canvas, active, t)
            canvas, records, costs = step(
                units, kernels, terms, canvas, active, keep_at(t, canvas)
            )
            readout = ops.take(canvas[:, :, 0], t, axis=1)
            written = [
                unit.write(term, contribution, t)
                for unit, term, contribution in zip(units, terms, inputs, strict=False)
            ]
            carry = [canvas, sum(costs, cost), *(x for term in written for x in term)]
            return carry, [*(x for record in records for x in record), readout]

        carry = [canvas, ops.zeros_like(canvas[:, 0, 0, 0])]
        if with_tape:
            for unit, bias in zip(units, biases, strict=True):
                carry += unit.without_tape(bias, canvas)
        like = _of_maps(canvas, [m for unit in units for m in unit.record_maps])
        carry, records = record_loop(
            forward, carry, steps, [*like, like_column], contributions
        )
        last, saturation = carry[:2]
        readouts = ops.transpose(stack(records.pop()), (1, 0, 2))

        def gradient(*upstream):
            if len(upstream) == 1:
                (upstream,) = upstream
            d_last, d_readouts, d_saturation = upstream
            adjoints = [
                unit.adjoint(kernel)
                for unit, kernel in zip(units, kernels, strict=True)
            ]

            def backward(t, carry, inputs):
                d_canvas, *d_tapes = carry
                d_readout, *inputs = inputs
                records = [_take(inputs, unit.record_type) for unit in units]
                d_canvas = _add_to_column(d_canvas, d_readout, t)
                active = active_cells(mask, size, t)
                keep = keep_at(t, d_canvas)
                d_terms = []
                for i in reversed(range(len(units))):
                    d_canvas, d_term = units[i].backward(
                        adjoints[i], records[i], active, d_canvas, keep(i), d_saturation
                    )
                    d_terms = [*d_term, *d_terms]
                if on_canvas:
                    d_canvas = d_canvas * noise(d_canvas, active, t)
                d_contributions = []
                if with_tape:
                    # What step t wrote, the steps after t have read.
                    left = list(d_tapes)
                    d_contributions = [
                        unit.read(_take(left, unit.terms_type), like, t)
                        for unit, like in zip(units, contribution_like, strict=True)
                    ]
                    d_tapes = [a + b for a, b in zip(d_tapes, d_terms, strict=True)]
                return [d_canvas, *d_tapes], [*d_terms, *d_contributions]

            contribution_like = [c[0] for c in contributions]
            terms_like = _of_maps(canvas, [m for unit in units for m in unit.term_maps])
            carry, d_records = record_loop(
                backward,
                [d_last, *(ops.zeros_like(x) for x in terms_like if with_tape)],
                steps,
                [*terms_like, *contribution_like],
                [ops.transpose(d_readouts, (1, 0, 2)), *records],
                reverse=True,
            )
            all_records = [_steps_as_batch(x) for x in records]
            d_records = [stack(x) for x in d_records]
            d_kernels, d_biases = [], []
            for unit, kernel in zip(units, kernels, strict=True):
                d_terms = _take(d_records, unit.terms_type)
                gradients = unit.weight_gradients(
                    kernel,
                    _take(all_records, unit.record_type),
                    unit.terms_type(*(_steps_as_batch(x) for x in d_terms)),
                )
                d_kernels += gradients[: len(kernel)]
                d_biases += gradients[len(kernel) :]
            return (carry[0], *d_kernels, *d_biases, *d_records)

        return (last, readouts, saturation), gradient

    tensors = [kernel for unit in units for kernel in unit.kernels()]
    tensors += [bias for unit in units for bias in unit.biases()]
    if with_tape:
        by_step = ops.transpose(vectors, (1, 0, 2))
        tensors += [unit.contributions(by_step) for unit in units]
    return ops.custom_gradient(loop)(canvas, *tensors)


def encode(
    units: Sequence[CanvasUnit], canvas: Tensor, size: Tensor, trace: bool = False
) -> Tensor:
    """The last canvas of `run` without a tape; it records nothing for a gradient.

    Args:
        units, canvas, size: as for `run`.
        trace: return every canvas, s_0 … s_n, [n + 1, batch, n, w, m].
    """
    steps = ops.shape(canvas)[1]
    mask = column_mask(size, steps, canvas.dtype)
    kernels = [unit.kernels() for unit in units]
    biases = [unit.biases() for unit in units]

    def forward(t, carry, _):
        new = step(units, kernels, biases, *carry, active_cells(mask, size, t))[0]
        return [new], [new] * trace

    canvas = canvas * mask
    (last,), records = record_loop(forward, [canvas], steps, [canvas] * trace)
    if not trace:
        return last
    return ops.concatenate([canvas[None], stack(records[0])])


def _take(tensors: list, kind: type) -> Any:
    """Takes a NamedTuple's tensors off the front of a list."""
    count = len(kind._fields)
    taken, tensors[:count] = tensors[:count], []
    return kind(*taken)


def _of_maps(canvas: Tensor, maps: Sequence[int]) -> list[Tensor]:
    """A tensor of as many maps each, otherwise like the canvas."""
    m = canvas.shape[-1]
    return [
        canvas if count == m else ops.concatenate([canvas] * (count // m), axis=-1)
        for count in maps
    ]


def _steps_as_batch(record: Any) -> Tensor:
    """A record of [steps, batch, …] as one batch of steps · batch."""
    x = stack(record)
    return ops.reshape(x, (-1, *ops.shape(x)[2:]))


def _add_to_column(canvas: Tensor, vectors: Tensor, t: Tensor) -> Tensor:
    """canvas[:, t, 0] += vectors."""
    batch = ops.arange(ops.shape(canvas)[0], dtype="int32")
    zeros = ops.zeros_like(batch)
    where = ops.stack([batch, zeros + ops.cast(t, "int32"), zeros], axis=-1)
    return ops.scatter_update(canvas, where, vectors, reduction="add")
