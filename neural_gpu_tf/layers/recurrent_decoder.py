"""The decoder of the recurrent models."""

from collections.abc import Callable
from typing import Any

import keras
from keras import ops

from neural_gpu_tf.configuration import whole_number
from neural_gpu_tf.layers.attentive_recurrence import AttentiveLoop
from neural_gpu_tf.layers.attentive_tensors import attentive_tensors
from neural_gpu_tf.layers.cell_steps import STEPS
from neural_gpu_tf.layers.dropout_limit import check_dropout, limited_dropout
from neural_gpu_tf.layers.dropout_masks import dropout_mask, own_seed
from neural_gpu_tf.layers.initializers import fresh, of_part
from neural_gpu_tf.layers.kept_parts import KeepsParts
from neural_gpu_tf.layers.loops import record_loop, stack
from neural_gpu_tf.layers.maxout import maxout
from neural_gpu_tf.layers.memory_lookup import new_reader
from neural_gpu_tf.layers.memory_reader import Memory
from neural_gpu_tf.layers.recurrence import by_steps, recur_cell
from neural_gpu_tf.layers.recurrent_cells import Cells, new_cell
from neural_gpu_tf.layers.recurrent_encoder import States
from neural_gpu_tf.layers.recurrent_state import Reading, RecurrentState
from neural_gpu_tf.types import Tensor

Drop = Callable[[Tensor, int], Tensor]


@keras.saving.register_keras_serializable("neural_gpu_tf")
class RecurrentDecoder(KeepsParts, keras.layers.Layer):
    """A stack of recurrent layers, one step an output symbol, that may read a memory.

        c_t, α_t = attention(s^l_{t-1}, memory)            (`MemoryAttention`)
        s^1_t    = cell_1([y_{t-1}; c_t], s^1_{t-1})
        s^i_t    = cell_i(s^{i-1}_t, s^i_{t-1}),           i = 2 … l
        u_t      = U_o s^l_t + V_o y_{t-1} + C_o c_t + b_o
        r_t,j    = max(u_t,2j, u_t,2j+1)

    where y_{t-1} = E' o_{t-1} is the vector of the symbol before; the logits are
    O r_t. With l = 1 and GRU cells this is RNNsearch (Bahdanau et al. 2014, "Neural
    Machine Translation by Jointly Learning to Align and Translate", A.1.1 and A.2.2),
    except that u_t uses s_t, as in eq. 4; A.2.2 has s_{t-1}. With more layers, the top
    one queries and the bottom one gets c_t. Without attention s_0 is all of the source
    (Sutskever et al. 2014, "Sequence to Sequence Learning with Neural Networks").

    Args:
        units: of a cell, and of the attention.
        readout_size: of r_t.
        layers: l.
        cell: "gru" or "lstm", see `new_cell`.
        attention_score: weighs the memory's rows: "additive" or "dot", see
            `MemoryAttention`; "state", see `MemoryLookup`; None: no attention.
        attention_scoring: with "state", its `scoring`.
        kernel_initializer: of all but what multiplies a cell's state.
        recurrent_initializer: of what multiplies a cell's state.
        dropout: rate at which the input of each layer, and of U_o, V_o and C_o, is
            dropped in training (Zaremba et al. 2014).
        seed: of the dropout.

    Input shape: vectors y_{-1} … y_{n-2}, [batch, n, e] (teacher forcing; the first is
        that of GO); initial_state, s_0 as `RecurrentEncoder` gives it; rows
        [batch, r, d] of the memory; size, n_b ≤ n, int [batch]; mask, bool [batch, r],
        the Keras mask of the rows if not given, or all.
    Output shape: r_t, [batch, n, readout_size], 0 for t ≥ n_b.
    """

    def __init__(
        self,
        units: int,
        readout_size: int,
        layers: int = 2,
        cell: str = "gru",
        attention_score: str | None = None,
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        dropout: float = 0.0,
        seed: int | None = None,
        attention_scoring: str = "softmax",
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        check_dropout(dropout)
        units = whole_number("units", units, 1)
        readout_size = whole_number("readout_size", readout_size, 1)
        layers = whole_number("layers", layers, 1)
        self.units = units
        self.readout_size = readout_size
        self.depth = layers
        self.cell = cell
        self.attention_score = attention_score
        self.attention_scoring = attention_scoring
        self.kernel_initializer = keras.initializers.get(kernel_initializer)
        self.recurrent_initializer = keras.initializers.get(recurrent_initializer)
        self.dropout = dropout
        self.seed = seed
        self.seed_generator = keras.random.SeedGenerator(seed)
        self.cells = [
            new_cell(
                cell,
                units,
                of_part(kernel_initializer, f"cell_{i + 1}"),
                of_part(recurrent_initializer, f"cell_{i + 1}"),
                dtype=self.dtype_policy,
                name=f"cell_{i + 1}",
            )
            for i in range(layers)
        ]
        self.attention = new_reader(
            attention_score,
            units,
            attention_scoring,
            kernel_initializer=of_part(kernel_initializer, "attention"),
            dtype=self.dtype_policy,
            name="attention",
        )
        self.maxout = keras.layers.Dense(  # U_o, V_o, C_o and b_o
            2 * readout_size,
            kernel_initializer=fresh(kernel_initializer, "maxout"),
            dtype=self.dtype_policy,
            name="maxout",
        )

    def build(
        self,
        vectors_shape: Any,
        initial_state_shape: Any = None,
        rows_shape: Any = None,
        size_shape: Any = None,
        mask_shape: Any = None,
    ) -> None:
        seen = vectors_shape[-1]
        if self.attention is not None:
            self.attention.build((None, self.units), rows_shape)
            seen += rows_shape[-1]
        for i, cell in enumerate(self.cells):
            cell.build((None, self.units if i else seen))
        self.maxout.build((None, self.units + seen))
        self.built = True

    def call(
        self,
        vectors: Tensor,
        initial_state: States,
        rows: Tensor,
        size: Tensor,
        mask: Tensor | None = None,
        training: bool = False,
        rows_mask: Tensor | None = None,
    ) -> Tensor:
        mask = rows_mask if mask is None else mask
        state = self.start(initial_state, rows, size, mask)
        seeds = (None, None)
        if training and limited_dropout(self.dropout):
            seeds = [own_seed(self.seed_generator.next()) for _ in range(2)]
        seen = self.run(vectors, state, seeds[0], training)
        inside = ops.arange(ops.shape(vectors)[1], dtype="int32")[None, :]
        inside = inside < ops.cast(size, "int32")[:, None]
        return self._readout(vectors, seen, inside, self._drop(seeds[1], 0))

    def start(
        self,
        initial_state: States,
        rows: Tensor,
        size: Tensor,
        mask: Tensor | None = None,
    ) -> RecurrentState:
        """The state before the first step; arguments as those of `call`."""
        if len(initial_state) != self.depth:
            raise ValueError(f"{len(initial_state)} states for {self.depth} layers")
        memory = () if self.attention is None else self.attention.remember(rows, mask)
        return RecurrentState(size, tuple(map(tuple, initial_state)), memory)

    def step(
        self,
        state: RecurrentState,
        vector: Tensor,
        t: Tensor | int,
        cells: Cells | None = None,
    ) -> tuple[RecurrentState, Tensor, Tensor | None]:
        """One step; the same numbers as `call`.

        Args:
            state: from `start` or from step t - 1.
            vector: y_{t-1}, [batch, e].
            t: the step, the same for the whole batch.
            cells: its own, `looping`, in a loop.

        Returns:
            The new state, r_t [batch, readout_size], 0 where t ≥ n_b, and the weights
            α_t [batch, r] (None without attention).
        """
        states, seen = self._advance(
            state.cells, state.memory, vector, self._drop(), cells or self.cells
        )
        inside = ops.cast(t, "int32") < ops.cast(state.size, "int32")
        readout = self._readout(vector, seen, inside, self._drop())
        return state._replace(cells=states), readout, seen.weights

    def run(
        self,
        vectors: Tensor,
        state: RecurrentState,
        seed: Tensor | None = None,
        training: bool = False,
    ) -> Reading:
        """All steps of teacher forcing, in a loop.

        Args:
            vectors: y_{-1} … y_{n-2}, [batch, n, e].
            state: from `start`.
            seed: of the dropout; None: nothing is dropped.
            training: whether the gradient is that by hand; without, nothing is kept.

        Returns: [batch, n, …] each.
        """
        x, steps = by_steps(vectors), STEPS[self.cell]
        drops = [] if seed is None else self._drops(x, state, seed)
        if self.attention is None or not state.memory:
            for i, start in enumerate(state.cells):
                x, cell = x * drops[i] if drops else x, self.cells[i]
                x, _ = recur_cell(steps, cell, x, start, training=training)
            return Reading(by_steps(x), None, None)
        if drops:
            of_vectors, drops[0] = ops.split(drops[0], [x.shape[-1]], axis=-1)
            x = x * of_vectors
        loop = AttentiveLoop(steps, self.attention, state.memory.mask, drops, training)
        tensors = attentive_tensors(
            steps, self.cells, self.attention, x, state.cells, state.memory
        )
        return Reading(*map(by_steps, loop(tensors)))

    def _drops(self, x: Tensor, state: RecurrentState, seed: Tensor) -> list[Tensor]:
        """The dropout masks of every step, one a layer, [n, batch, …].

        The first layer's input is [y; c]. x are the vectors, [n, batch, e].
        """
        read = state.memory[0].shape[-1] if state.memory else 0
        sizes = [x.shape[-1] + read, *[self.units] * (self.depth - 1)]
        like = [ops.ones((ops.shape(x)[1], size), dtype=x.dtype) for size in sizes]

        def body(t: Tensor, carry: list, _: list) -> tuple[list, list]:
            return carry, [self._drop(seed, t)(y, i) for i, y in enumerate(like)]

        _, drops = record_loop(body, [], ops.shape(x)[0], like)
        return [stack(drop) for drop in drops]

    def _advance(
        self,
        states: States,
        memory: Memory | tuple[()],
        vector: Tensor,
        drop: Drop,
        cells: Cells,
    ) -> tuple[States, Reading]:
        """s_t, c_t and α_t from s_{t-1}, the memory and y_{t-1}."""
        x, context, weights = vector, None, None
        if self.attention is not None and memory:
            context, weights = self.attention.read(states[-1][0], memory)
            x = ops.concatenate([vector, context], axis=-1)
        after = []
        for i, (cell, state) in enumerate(zip(cells, states, strict=True)):
            x, state = cell(drop(x, i), list(state))
            after.append(tuple(state))
        return tuple(after), Reading(x, context, weights)

    def _readout(self, y: Tensor, seen: Reading, inside: Tensor, drop: Drop) -> Tensor:
        """r_t of one step, or of all."""
        parts = [x for x in (seen.output, y, seen.context) if x is not None]
        pieces = self.maxout(drop(ops.concatenate(parts, axis=-1), 0))
        return maxout(pieces) * ops.cast(inside, pieces.dtype)[..., None]

    def _drop(self, seed: Tensor | None = None, t: Tensor | int = 0) -> Drop:
        """What drops the input of layer i at step t; nothing without a seed."""
        if seed is None:
            return lambda x, i: x
        rate = limited_dropout(self.dropout)
        return lambda x, i: x * dropout_mask(x, rate, seed, t * self.depth + i)

    def compute_mask(self, *_: Any, **__: Any) -> None:
        """None: the readouts have a size, not a mask."""

    def compute_output_shape(self, vectors_shape: Any, *_: Any, **__: Any) -> Any:
        return (*vectors_shape[:2], self.readout_size)

    def get_config(self) -> dict:
        serialize = keras.initializers.serialize
        return {
            **super().get_config(),
            "units": self.units,
            "readout_size": self.readout_size,
            "layers": self.depth,
            "cell": self.cell,
            "attention_score": self.attention_score,
            "attention_scoring": self.attention_scoring,
            "kernel_initializer": serialize(self.kernel_initializer),
            "recurrent_initializer": serialize(self.recurrent_initializer),
            "dropout": self.dropout,
            "seed": self.seed,
        }
