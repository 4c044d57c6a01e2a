"""The active-memory decoder of the Extended Neural GPU."""

from typing import Any, NamedTuple

import keras
from keras import ops

from neural_gpu_tf.layers import active_memory
from neural_gpu_tf.layers.active_memory_encoder import ActiveMemoryEncoder
from neural_gpu_tf.layers.canvas import (
    active_cells,
    by_rows,
    check_vectors,
    column_mask,
)
from neural_gpu_tf.types import Tensor


class DecoderState(NamedTuple):
    """What the decoder carries from step to step; every tensor leads with the batch."""

    canvas: Tensor  # [batch, w, n, m]: d_t, by rows
    size: Tensor  # [batch]: n_b
    # of each unit: B + W * p_t, [batch, w, n, m'] each
    terms: tuple[Any, ...]


@keras.saving.register_keras_serializable("neural_gpu_tf")
class ActiveMemoryDecoder(ActiveMemoryEncoder):
    """Decoder of the Extended Neural GPU: l CGRUs with a tape, one step per symbol.

        d_0     = s_n,  p_0 = 0
        d_{t+1} = CGRU^d_l(… CGRU^d_1(d_t, p_t) …, p_t)
        p_{t+1} = p_t with p_{t+1}[t, 0] = E' o_t

    and the t-th symbol is read from d_{t+1}[t, 0], t = 0 … n_b - 1. (Kaiser & Bengio
    2016, §2.2, which counts columns and steps from 1: there the k-th symbol is read
    from d_k[k, 0].)

    Args: as `ActiveMemoryEncoder`; the units are `TapeCGRU`s or the like.

    Input shape: canvas s_n [batch, n, w, m]; the target's vectors E' o
        [batch, n, m] (teacher forcing); size, n_b ≤ n, int [batch].
    Output shape: [batch, n, m], to be multiplied by O.

    Example:
        >>> canvas, vectors = np.ones((2, 5, 4, 24)), np.ones((2, 5, 24))
        >>> decoder = ActiveMemoryDecoder([TapeCGRU(24), TapeCGRU(24)])
        >>> decoder(canvas, vectors, np.array([5, 3])).shape
        (2, 5, 24)
    """

    on_tape = True

    def call(
        self,
        canvas: Tensor,
        vectors: Tensor,
        size: Tensor,
        training: bool | None = None,
        canvas_mask: Any = None,
    ) -> Tensor:
        self.refuse_mask(canvas_mask)
        check_vectors(self.name, canvas, vectors, on_tape=True)
        canvas = canvas * column_mask(size, ops.shape(canvas)[1], canvas.dtype)
        reading = self.reading(canvas, size)
        if not training:
            return active_memory.decode(self.units, canvas, size, vectors, reading)
        options = self.loop_options(size, training) | {"reading": reading}
        return active_memory.run(self.units, canvas, size, vectors, **options)[1]

    def reading(self, canvas: Tensor, size: Tensor) -> active_memory.Reading | None:
        """What is read before each step and written on the tape; None: nothing."""
        return None

    def start(self, canvas: Tensor, size: Tensor) -> DecoderState:
        """The state before the first step: d_0 = s_n and an empty tape."""
        canvas = canvas * column_mask(size, ops.shape(canvas)[1], canvas.dtype)
        canvas = by_rows(canvas)
        terms = tuple(unit.without_tape(unit.biases(), canvas) for unit in self.units)
        return DecoderState(canvas, size, terms)

    def step(
        self, state: DecoderState, vector: Tensor, t: Tensor | int
    ) -> tuple[DecoderState, Tensor]:
        """One step; the same numbers as `call`, one column at a time.

        Args:
            state: from `start` or from step t - 1.
            vector: E' o_{t-1}, [batch, m]; not used at t = 0, where the tape is empty.
            t: the step, the same for the whole batch.

        Returns:
            The new state and d_{t+1}[t, 0], [batch, m].
        """
        return self.advance(self.write_symbol(state, vector, t), t)

    def write_symbol(
        self, state: DecoderState, vector: Tensor, t: Tensor | int
    ) -> DecoderState:
        """p_t = p_{t-1} with E' o_{t-1} in column t - 1, or the empty p_0."""
        t = ops.cast(t, "int32")
        vector = vector * ops.cast(t > 0, vector.dtype)
        return self.write(state, vector, ops.maximum(t - 1, 0))

    def write(
        self, state: DecoderState, vector: Tensor, column: Tensor | int
    ) -> DecoderState:
        """Adds a vector [batch, m] to row 0 of a column of the tape."""
        width = state.canvas.shape[1]
        terms = tuple(
            unit.write(term, unit.contribution(vector, width), column)
            for unit, term in zip(self.units, state.terms, strict=True)
        )
        return state._replace(terms=terms)

    def advance(
        self, state: DecoderState, t: Tensor | int
    ) -> tuple[DecoderState, Tensor]:
        """d_{t+1} from d_t and p_t, and its row 0 of column t."""
        canvas, size, terms = state
        mask = by_rows(column_mask(size, ops.shape(canvas)[2], canvas.dtype))
        canvas, _, _ = active_memory.step(
            self.units,
            [unit.kernels() for unit in self.units],
            terms,
            canvas,
            active_cells(mask, size, t),
        )
        readout = ops.take(canvas[:, 0], ops.cast(t, "int32"), axis=1)
        return DecoderState(canvas, size, terms), readout

    def compute_output_shape(self, input_shape: Any, *_: Any, **__: Any) -> Any:
        return (*input_shape[:2], input_shape[-1])
