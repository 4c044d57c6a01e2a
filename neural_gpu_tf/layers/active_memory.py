"""The loop of an active memory: every cell of the canvas changes at every step.

The gradient of the whole loop is written by hand, for speed and memory. Forward,
each unit records its input, its gates and its candidate (`cgru.Record`); backward
runs through the records in reverse, so nothing is computed twice, no convolution of
the tape stands in the loop, and biases cost one sum after it. With checkpoints, forward
keeps only where each of O(√n) segments starts, and backward makes the records of one
segment at a time again (Chen et al. 2016, "Training Deep Nets with Sublinear Memory
Cost", §4.1). A tape's terms are not kept: they follow from what was written, unless
something is read before each step.

Steps may take several sets of weights in turn (Kaiser & Sutskever 2016, §3, "parameter
sharing relaxation"). The sets of each weight are stacked, [r, …], and step t takes set
t mod r; the records of the steps ≡ i mod r make the gradient of set i.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import keras
from keras import ops

from neural_gpu_tf.layers.canvas import active_cells, by_rows, column_mask
from neural_gpu_tf.layers.canvas_unit import CanvasUnit
from neural_gpu_tf.layers.loops import (
    dropout_mask,
    gradient_of,
    record_loop,
    stack,
)
from neural_gpu_tf.types import Tensor


class Reading(NamedTuple):
    """What the decoder reads before each step and writes on its tape.

    The function takes d_t[t, 0] [batch, m] and the tensors, and returns for each unit
    the contribution (`OnTape.contributions`) of what is written in column t before
    step t. Its gradient is the backend's own.
    """

    function: Callable[..., list[Tensor]]
    tensors: Sequence[Tensor]  # all of the function's that want a gradient


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
        checkpoints: for the gradient keep about 4√n canvases and the records of √n/4
            steps, in place of the records of all n, and compute every step twice.
        relaxations: r, the sets of which step t takes set t mod r; 1 with a tape.

    Returns:
        The last canvas [batch, n, w, m]; what was in row 0 of column t after step t,
        [batch, n, m]; the cost of saturation, summed over steps and units, [batch].
    """
    sets = relaxations
    all_kernels, all_biases = _weights(units, sets)
    units = units[: len(units) // sets]
    steps = ops.shape(canvas)[1]
    canvas = by_rows(canvas)
    mask = by_rows(column_mask(size, steps, canvas.dtype))
    with_tape = vectors is not None
    dropping = seed is not None
    on_candidates = dropping and units[0].drops_candidate
    on_canvas = dropping and not on_candidates
    like_column = canvas[:, 0, 0]
    segments, length = _segments(steps, sets) if checkpoints else (1, steps)

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
        contributions = [tensors.pop(0) for _ in units if with_tape]
        contribution_like = [c[0] for c in contributions]
        read_tensors = tensors

        def forward(t, carry, inputs):
            canvas, cost, *carried = carry
            terms = _of_step(t, biases, sets)
            if with_tape:
                terms = [_take(carried, unit.terms_type) for unit in units]
            active = active_cells(mask, size, t)
            if on_canvas:
                canvas = canvas * noise(canvas, active, t)
            if reading:
                read = reading.function(_column(canvas, t), *read_tensors)
                terms = [
                    unit.write(term, contribution, t)
                    for unit, term, contribution in zip(units, terms, read, strict=True)
                ]
            canvas, records, costs = step(
                units,
                _of_step(t, kernels, sets),
                terms,
                canvas,
                active,
                keep_at(t, canvas),
            )
            readout = _column(canvas, t)
            written = [
                unit.write(term, contribution, t)
                for unit, term, contribution in zip(units, terms, inputs, strict=False)
            ]
            carry = [canvas, sum(costs, cost), *(x for term in written for x in term)]
            return carry, [*(x for record in records for x in record), readout]

        record_like = _of_maps(canvas, [m for unit in units for m in unit.record_maps])

        def segment(j, carry, contributions):
            """The steps j·length … (j + 1)·length - 1; their records and readouts."""
            carry, records = record_loop(
                lambda i, *rest: forward(j * length + i, *rest),
                carry,
                length,
                [*record_like, like_column],
                contributions,
            )
            return carry, records, stack(records.pop())

        def segment_from(j, carry, contributions):
            """`segment`, of which only the start and the readouts are recorded."""
            after, _, readouts = segment(j, carry, contributions)
            return after, [*to_keep(carry), readouts]

        def to_keep(carry):
            """What `carry_at` needs; what was read follows from no contribution."""
            return carry if reading else carry[:1]

        def carry_at(t, kept):
            """What is carried into step t; the cost so far is in no gradient."""
            if reading:
                return kept
            (canvas,) = kept
            terms = [
                unit.write_before(unit.without_tape(bias, canvas), contribution, t)
                for unit, bias, contribution in zip(
                    units, biases, contributions, strict=False
                )
            ]
            return [canvas, no_cost, *(x for term in terms for x in term)]

        no_cost = ops.zeros_like(canvas[:, 0, 0, 0])
        carry = [canvas, no_cost]
        if with_tape:
            for unit, bias in zip(units, biases, strict=True):
                carry += unit.without_tape(bias, canvas)
        if checkpoints:
            cut = [_cut(c, segments, length) for c in contributions]
            like = keras.KerasTensor((None, *like_column.shape), canvas.dtype)
            carry, starts = record_loop(
                segment_from, carry, segments, [*to_keep(carry), like], cut
            )
            readouts = _uncut(stack(starts.pop()), steps)
        else:
            carry, records, readouts = segment(0, carry, contributions)
        last, saturation = carry[:2]
        readouts = ops.transpose(readouts, (1, 0, 2))

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
                d_tensors = [d_tapes.pop() for _ in read_tensors][::-1]
                d_readout, *inputs = inputs
                records = [_take(inputs, unit.record_type) for unit in units]
                d_canvas = _add_to_column(d_canvas, d_readout, t)
                active = active_cells(mask, size, t)
                adjoint = _of_step(t, adjoints, sets)
                keep = keep_at(t, d_canvas)
                d_terms = []
                for i in reversed(range(len(units))):
                    d_canvas, d_term = units[i].backward(
                        adjoint[i], records[i], active, d_canvas, keep(i), d_saturation
                    )
                    d_terms = [*d_term, *d_terms]
                d_contributions = []
                if with_tape:
                    # What step t wrote, the steps after t have read.
                    d_contributions = of_column(d_tapes, t)
                    d_tapes = [a + b for a, b in zip(d_tapes, d_terms, strict=True)]
                if reading:
                    # What was written before step t, step t has read too.
                    d_query, *added = gradient_of(
                        reading.function,
                        [_column(records[0].canvas, t), *read_tensors],
                        of_column(d_tapes, t),
                    )
                    d_tensors = [a + b for a, b in zip(d_tensors, added, strict=True)]
                    d_canvas = _add_to_column(d_canvas, d_query, t)
                if on_canvas:
                    d_canvas = d_canvas * noise(d_canvas, active, t)
                carry = [d_canvas, *d_tapes, *d_tensors]
                return carry, [*d_terms, *d_contributions]

            def of_column(d_tapes, t):
                """The gradients of what was written in column t."""
                left = list(d_tapes)
                return [
                    unit.read(_take(left, unit.terms_type), like, t)
                    for unit, like in zip(units, contribution_like, strict=True)
                ]

            def back_through(j, carry, records, d_readouts):
                """The gradients of segment j: of its start, weights and inputs."""
                carry, d_records = record_loop(
                    lambda i, *rest: backward(j * length + i, *rest),
                    carry,
                    length,
                    [*terms_like, *contribution_like],
                    [d_readouts, *records],
                    reverse=True,
                )
                d_records = [stack(x) for x in d_records]
                d_terms = [d_records.pop(0) for _ in terms_like]
                records = [_steps_as_batch(x, sets) for x in records]
                d_terms = [_steps_as_batch(x, sets) for x in d_terms]
                d_weights = [
                    weight_gradients(
                        i, [x[i] for x in records], [x[i] for x in d_terms]
                    )
                    for i in range(sets)
                ]
                return carry, _stack_sets(d_weights), d_records

            def weight_gradients(i, records, d_terms):
                """The gradients of set i, from the records of its steps."""
                d_kernels, d_biases = [], []
                for unit, kernel in zip(units, _of_step(i, kernels, sets), strict=True):
                    gradients = unit.weight_gradients(
                        kernel,
                        _take(records, unit.record_type),
                        _take(d_terms, unit.terms_type),
                    )
                    d_kernels += gradients[: len(kernel)]
                    d_biases += gradients[len(kernel) :]
                return [*d_kernels, *d_biases]

            def again_and_back(j, carry, inputs):
                """The records of segment j again, then back through it."""
                carry, d_weights = carry[: len(d_start)], carry[len(d_start) :]
                d_readouts, *inputs = inputs
                start, written = inputs[: len(starts)], inputs[len(starts) :]
                _, records, _ = segment(j, carry_at(j * length, start), written)
                carry, added, d_records = back_through(j, carry, records, d_readouts)
                d_weights = [a + b for a, b in zip(d_weights, added, strict=True)]
                return [*carry, *d_weights], d_records

            terms_like = _of_maps(canvas, [m for unit in units for m in unit.term_maps])
            d_readouts = ops.transpose(d_readouts, (1, 0, 2))
            d_start = [
                d_last,
                *(ops.zeros_like(x) for x in terms_like if with_tape),
                *(ops.zeros_like(x) for x in read_tensors),
            ]
            if checkpoints:
                weights = [x for group in (*kernels, *biases) for x in group]
                carry, d_records = record_loop(
                    again_and_back,
                    [*d_start, *(ops.zeros_like(x) for x in weights)],
                    segments,
                    [c[0] for c in cut],
                    [_cut(d_readouts, segments, length), *starts, *cut],
                    reverse=True,
                )
                d_records = [_uncut(stack(x), steps) for x in d_records]
                d_start, d_weights = carry[: len(d_start)], carry[len(d_start) :]
            else:
                d_start, d_weights, d_records = back_through(
                    0, d_start, records, d_readouts
                )
            d_tensors = d_start[len(d_start) - len(read_tensors) :]
            return (d_start[0], *d_weights, *d_records, *d_tensors)

        return (last, readouts, saturation), gradient

    tensors = [x for group in (*all_kernels, *all_biases) for x in group]
    if with_tape:
        by_step = ops.transpose(vectors, (1, 0, 2))
        tensors += [unit.contributions(by_step) for unit in units]
    if reading:
        tensors += reading.tensors
    last, readouts, saturation = ops.custom_gradient(loop)(canvas, *tensors)
    return by_rows(last), readouts, saturation


def encode(
    units: Sequence[CanvasUnit],
    canvas: Tensor,
    size: Tensor,
    trace: bool = False,
    relaxations: int = 1,
) -> Tensor:
    """The last canvas of `run` without a tape; it records nothing for a gradient.

    Args:
        units, canvas, size, relaxations: as for `run`.
        trace: return every canvas, s_0 … s_n, [n + 1, batch, n, w, m].
    """
    steps = ops.shape(canvas)[1]
    mask = by_rows(column_mask(size, steps, canvas.dtype))
    weights = _weights(units, relaxations)
    units = units[: len(units) // relaxations]

    def forward(t, carry, _):
        kernels, biases = (_of_step(t, x, relaxations) for x in weights)
        new = step(units, kernels, biases, *carry, active_cells(mask, size, t))[0]
        return [new], [new] * trace

    canvas = by_rows(canvas) * mask
    (last,), records = record_loop(forward, [canvas], steps, [canvas] * trace)
    if not trace:
        return by_rows(last)
    return ops.swapaxes(ops.concatenate([canvas[None], stack(records[0])]), 2, 3)


def _weights(units: Sequence[CanvasUnit], sets: int) -> tuple[list[Any], list[Any]]:
    """Kernels and biases of the l units of a step; [r, …] each if there are r sets."""
    layers = len(units) // sets
    turns = [units[i::layers] for i in range(layers)]
    return (
        [_stack_sets([unit.kernels() for unit in turn]) for turn in turns],
        [_stack_sets([unit.biases() for unit in turn]) for turn in turns],
    )


def _stack_sets(sets: Sequence[Any]) -> Any:
    """Lists or NamedTuples of tensors as one of tensors [r, …]; one as it is."""
    if len(sets) == 1:
        return sets[0]
    stacked = [ops.stack(x) for x in zip(*sets, strict=True)]
    return stacked if isinstance(sets[0], list) else type(sets[0])(*stacked)


def _of_step(t: Tensor | int, weights: list[Any], sets: int) -> list[Any]:
    """Of each unit's weights, as `_weights` gives them, set t mod r."""
    if sets == 1:
        return weights
    return [
        type(group)(*(ops.take(x, t % sets, axis=0) for x in group))
        for group in weights
    ]


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


def _steps_as_batch(record: Any, sets: int) -> list[Tensor]:
    """Of a record [steps, batch, …] the steps ≡ i mod r as one batch, i = 0 … r - 1.

    Steps that are missing to a multiple of r are 0; no set is without any.
    """
    x = stack(record)
    if sets == 1:
        return [ops.reshape(x, (-1, *ops.shape(x)[2:]))]
    rounds = (ops.shape(x)[0] + sets - 1) // sets
    x = _cut(x, rounds, sets)
    shape = (-1, *ops.shape(x)[3:])
    return [ops.reshape(x[:, i], shape) for i in range(sets)]


def _segments(steps: Tensor | int, sets: int = 1) -> tuple[Tensor | int, Tensor | int]:
    """About 4√n segments, and their length; together they may be longer than n.

    The length is a multiple of r, so that in every segment step i takes set i mod r.
    """
    if isinstance(steps, int):
        count = math.isqrt(16 * steps)
    else:
        count = ops.cast(4 * ops.sqrt(ops.cast(steps, "float32")), "int32")
    rounds = (steps + count * sets - 1) // (count * sets)
    length = rounds * sets
    return (steps + length - 1) // length, length


def _cut(x: Tensor, segments: Tensor | int, length: Tensor | int) -> Tensor:
    """[n, …] as [segments, length, …]; 0 in the steps that are too many."""
    missing = segments * length - ops.shape(x)[0]
    x = ops.pad(x, [[0, missing]] + [[0, 0]] * (x.ndim - 1))
    return ops.reshape(x, (segments, length, *ops.shape(x)[1:]))


def _uncut(x: Tensor, steps: Tensor | int) -> Tensor:
    """[segments, length, …] as [n, …]."""
    return ops.reshape(x, (-1, *ops.shape(x)[2:]))[:steps]


def _column(canvas: Tensor, t: Tensor) -> Tensor:
    """canvas[:, 0, t], [batch, m]; of the last column in a step too many."""
    last = ops.shape(canvas)[2] - 1
    return ops.take(canvas[:, 0], ops.minimum(t, last), axis=1)


def _add_to_column(canvas: Tensor, vectors: Tensor, t: Tensor) -> Tensor:
    """canvas[:, 0, t] += vectors, which are 0 in a step too many."""
    batch = ops.arange(ops.shape(canvas)[0], dtype="int32")
    zeros = ops.zeros_like(batch)
    t = ops.minimum(ops.cast(t, "int32"), ops.shape(canvas)[2] - 1)
    where = ops.stack([batch, zeros, zeros + t], axis=-1)
    return ops.scatter_update(canvas, where, vectors, reduction="add")
