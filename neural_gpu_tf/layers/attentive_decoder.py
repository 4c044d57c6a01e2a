"""The active-memory decoder that also reads the encoder's canvas by attention."""

from typing import Any, NamedTuple

import keras
from keras import ops

from neural_gpu_tf.layers import active_memory
from neural_gpu_tf.layers.active_memory_decoder import ActiveMemoryDecoder, DecoderState
from neural_gpu_tf.layers.canvas import column_mask
from neural_gpu_tf.layers.initializers import fresh, of_part
from neural_gpu_tf.layers.loops import record_loop, stack
from neural_gpu_tf.layers.memory_attention import MemoryAttention
from neural_gpu_tf.layers.memory_reader import Memory
from neural_gpu_tf.layers.operations import as_tensor
from neural_gpu_tf.types import Tensor


class AttentiveState(NamedTuple):
    """What the decoder carries from step to step; every tensor leads with the batch."""

    decoder: DecoderState
    memory: Memory  # of the rows s_n[k, 0]
    attention: Tensor  # [batch, n]: α_t of the last step, 0 before the first


@keras.saving.register_keras_serializable("neural_gpu_tf")
class AttentiveDecoder(ActiveMemoryDecoder):
    """An `ActiveMemoryDecoder` that reads s_n and writes what it read on the tape.

        d_0      = s_n,  p_0 = 0
        a_t, α_t = additive attention of d_t[t, 0] to the rows s_n[k, 0], k < n_b
        p'_t     = p_t with p'_t[t, 0] = R a_t
        d_{t+1}  = CGRU^d_l(… CGRU^d_1(d_t, p'_t) …, p'_t)
        p_{t+1}  = p'_t with p_{t+1}[t, 0] = R a_t + E' o_t

    and the t-th symbol is read from d_{t+1}[t, 0]. (The decoder of Kaiser & Bengio
    2016, "Can Active Memory Replace Attention?", §2.2, with the attention of Bahdanau
    et al. 2014, §3.1: the column that is read next asks. What it reads stands where
    the symbol will stand, whatever the width; R keeps the two apart.) With R = 0 it
    is the `ActiveMemoryDecoder`.

    Args: as `ActiveMemoryDecoder`; the attention has m units.

    Input shape: canvas s_n [batch, n, w, m]; the target's vectors E' o
        [batch, n, m] (teacher forcing); size, n_b ≤ n, int [batch].
    Output shape: [batch, n, m], to be multiplied by O.

    Example:
        >>> canvas, vectors = np.ones((2, 5, 4, 24)), np.ones((2, 5, 24))
        >>> AttentiveDecoder(TapeCGRU(24))(canvas, vectors, np.array([5, 3])).shape
        (2, 5, 24)
    """

    def __init__(self, units: Any, **kwargs: Any):
        super().__init__(units, **kwargs)
        initializer = self.units[0].kernel_initializer
        self.attention = MemoryAttention(
            self.maps,
            kernel_initializer=of_part(initializer, "attention"),
            dtype=self.dtype_policy,
            name="attention",
        )

    def build(self, canvas_shape: Any = None, *_: Any) -> None:
        super().build(canvas_shape)
        m = self.maps
        self.attention.build((None, m), (None, None, m))
        self.read_kernel = self.add_weight(  # R
            shape=(m, m),
            initializer=fresh(self.units[0].kernel_initializer, "read_kernel"),
            name="read_kernel",
        )

    def reading(self, canvas: Tensor, size: Tensor) -> active_memory.Reading:
        return self._reading(self._remember(canvas, size))

    def start(self, canvas: Tensor, size: Tensor) -> AttentiveState:
        """The state before the first step."""
        memory = self._remember(canvas, size)
        dtype = self.attention.weight_dtype
        nothing = ops.zeros_like(memory.mask, dtype=dtype)
        return AttentiveState(super().start(canvas, size), memory, nothing)

    def step(
        self, state: AttentiveState, vector: Tensor, t: Tensor | int
    ) -> tuple[AttentiveState, Tensor]:
        """One step; see `ActiveMemoryDecoder.step`."""
        decoder, memory, _ = state
        t = ops.cast(t, "int32")
        decoder = self.write_symbol(decoder, vector, t)
        query = ops.take(decoder.canvas[:, 0], t, axis=1)
        read, weights = self.attention.read(query, memory)
        decoder = self.write(decoder, ops.matmul(read, self._read_matrix()), t)
        decoder, readout = self.advance(decoder, t)
        return AttentiveState(decoder, memory, weights), readout

    def alignments(self, canvas: Tensor, vectors: Tensor, size: Tensor) -> Tensor:
        """α_t of every step under teacher forcing; no gradient, no dropout.

        Args:
            canvas, vectors, size: as for `call`.

        Returns:
            [batch, n, n], 0 for t ≥ n_b.
        """
        state = self.start(canvas, size)
        nothing = ops.zeros_like(vectors[:, :1])
        before = ops.concatenate([nothing, vectors[:, :-1]], axis=1)

        def body(
            t: Tensor, now: AttentiveState, vector: Tensor
        ) -> tuple[AttentiveState, Tensor]:
            now, _ = self.step(now, vector, t)
            inside = ops.cast(t < ops.cast(size, "int32"), now.attention.dtype)
            return now, now.attention * inside[:, None]

        _, weights = record_loop(
            body,
            state,
            ops.shape(vectors)[1],
            state.attention,
            ops.transpose(before, (1, 0, 2)),
        )
        return ops.transpose(stack(weights), (1, 0, 2))

    def _remember(self, canvas: Tensor, size: Tensor) -> Memory:
        """The rows s_n[k, 0], k < n_b."""
        mask = column_mask(size, ops.shape(canvas)[1], "bool")[:, :, 0, 0]
        return self.attention.remember(canvas[:, :, 0], mask)

    def _read_matrix(self) -> Tensor:
        """R, to be multiplied from the right."""
        return as_tensor(self.read_kernel, self.compute_dtype)

    def _reading(self, memory: Memory) -> active_memory.Reading:
        """The attention for the loop, R and each unit's W in one matrix."""
        mask = memory.mask
        kernels = self.attention.kernels()
        matrices = [
            ops.matmul(self._read_matrix(), unit.tape_matrix()) for unit in self.units
        ]

        def contributions(query: Tensor, *tensors: Tensor) -> list[Tensor]:
            rows, keys, *others = tensors
            by_attention, by_unit = others[: len(kernels)], others[len(kernels) :]
            now = Memory(rows, keys, mask)
            read, _ = self.attention.read(query, now, by_attention)
            return [
                unit.spread(read, matrix)
                for unit, matrix in zip(self.units, by_unit, strict=True)
            ]

        tensors = [memory.rows, memory.keys, *kernels, *matrices]
        return active_memory.Reading(contributions, tensors)
