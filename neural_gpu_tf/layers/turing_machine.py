"""The Neural Turing Machine as a layer: a controller, its heads and their memory."""

from typing import Any, NamedTuple

import keras
from keras import ops

from neural_gpu_tf.configuration import check_choice, whole_number
from neural_gpu_tf.constants import CONTROLLERS, MEMORY_STARTS
from neural_gpu_tf.layers.initializers import fresh, of_part
from neural_gpu_tf.layers.operations import as_tensor, softmax
from neural_gpu_tf.layers.recurrent_cells import new_cell
from neural_gpu_tf.layers.recurrent_machine import RecurrentMachine
from neural_gpu_tf.layers.turing_heads import TuringHeads
from neural_gpu_tf.types import Tensor

_LITTLE = 1e-6
_NEAR = 10.0


class TuringState(NamedTuple):
    """What is carried from step to step; every tensor leads with the batch."""

    controller: tuple[Tensor, ...]  # h_t, c_t [batch, units]; feed-forward: nothing
    memory: Tensor  # [batch, N, M]: M_t
    weightings: Tensor  # [batch, heads, N]: w_t, of the write heads first
    reads: Tensor  # [batch, read_heads, M]: r_t


@keras.saving.register_keras_serializable("neural_gpu_tf")
class TuringMachine(RecurrentMachine):
    """A controller that uses a memory through read and write heads.

        h_t           = controller([x_t; r_{t-1}])
        M_t, w_t, r_t = heads(h_t, M_{t-1}, w_{t-1})       (`TuringHeads`)
        z_t           = [h_t; r_t]

    (Graves, Wayne & Danihelka 2014, "Neural Turing Machines", §3.) The controller is
    an LSTM cell, or tanh(W [x_t; r_{t-1}] + b), which sees the past only through the
    memory.

    M_0, w_0 and r_0 are either learned, w_0 as the softmax of learned numbers that
    start out with nearly all of it on row 0, or constants: M_0 = 1e-6 everywhere, w_0
    row 0, r_0 = 0. (After Collier & Beel 2018, "Implementing Neural Turing Machines",
    §3.1, who find that M_0 best; in their code it is where a trained M_0 starts, and
    w_0 and r_0 are learned.) If all rows start equal, nothing that is learned can
    depend on a particular row; and no key is similar to rows of 1e-6, see `cosine`.

    Args:
        units: of the controller.
        memory_rows: N.
        memory_width: M.
        controller: "lstm" or "feedforward".
        read_heads, write_heads, shift_range: see `TuringHeads`.
        memory_start: "learned" or "constant".
        kernel_initializer: of all but what multiplies an LSTM's state; also of M_0 and
            r_0.
        recurrent_initializer: of what multiplies an LSTM's state.
        dropout, seed: see `RecurrentMachine`.

    Input and output shape: see `RecurrentMachine`; z_t has units + read_heads · M
        numbers; the state is a `TuringState`.

    Example:
        >>> machine = TuringMachine(units=24, memory_rows=16, memory_width=6)
        >>> outputs, state = machine(keras.ops.ones((2, 5, 8)))
        >>> outputs.shape, state.memory.shape
        ((2, 5, 30), (2, 16, 6))
    """

    def __init__(
        self,
        units: int,
        memory_rows: int = 128,
        memory_width: int = 20,
        controller: str = "lstm",
        read_heads: int = 1,
        write_heads: int = 1,
        shift_range: int = 1,
        memory_start: str = "learned",
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        check_choice("controller", controller, CONTROLLERS)
        check_choice("memory_start", memory_start, MEMORY_STARTS)
        units = whole_number("units", units, 1)
        memory_rows = whole_number("memory_rows", memory_rows, 1)
        memory_width = whole_number("memory_width", memory_width, 1)
        self.units = units
        self.memory_rows = memory_rows
        self.memory_width = memory_width
        self.controller = controller
        self.read_heads = read_heads
        self.write_heads = write_heads
        self.shift_range = shift_range
        self.memory_start = memory_start
        self.kernel_initializer = keras.initializers.get(kernel_initializer)
        self.recurrent_initializer = keras.initializers.get(recurrent_initializer)
        own = dict(dtype=self.dtype_policy, name="controller")
        if controller == "lstm":
            self.cell = new_cell(
                "lstm",
                units,
                of_part(kernel_initializer, "controller"),
                of_part(recurrent_initializer, "controller"),
                **own,
            )
        else:
            initializer = fresh(kernel_initializer, "controller")
            self.cell = keras.layers.Dense(
                units, "tanh", kernel_initializer=initializer, **own
            )
        self.heads = TuringHeads(
            read_heads,
            write_heads,
            shift_range,
            of_part(kernel_initializer, "heads"),
            dtype=self.dtype_policy,
            name="heads",
        )

    @property
    def output_size(self) -> int:
        return self.units + self.read_heads * self.memory_width

    @property
    def memory_dtype(self) -> str:
        """The dtype of memory and reads, the compute dtype but float32 at least."""
        return keras.backend.result_type(self.compute_dtype, "float32")

    def build(self, vectors_shape: Any, *_: Any, **__: Any) -> None:
        rows, width = self.memory_rows, self.memory_width
        heads = self.read_heads + self.write_heads
        if self.memory_start == "learned":

            def start(name: str, *shape: int) -> Any:
                initializer = fresh(self.kernel_initializer, name)
                return self.add_weight(
                    shape=shape, initializer=initializer, autocast=False, name=name
                )

            self.first_memory = start("first_memory", rows, width)  # M_0
            self.first_reads = start("first_reads", self.read_heads, width)  # r_0
            self.first_weightings = self.add_weight(  # log w_0, but for a constant
                shape=(heads, rows),
                initializer=lambda shape, dtype: _NEAR * _row_0(shape, dtype),
                autocast=False,
                name="first_weightings",
            )
        self.cell.build((None, vectors_shape[-1] + self.read_heads * width))
        self.heads.build((None, self.units), (None, rows, width), (None, heads, rows))
        self.built = True

    def initial_state(self, batch: Tensor | int) -> TuringState:
        dtype, rows, width = self.memory_dtype, self.memory_rows, self.memory_width
        if self.memory_start == "learned":
            memory, reads, weightings = (
                as_tensor(x, dtype)
                for x in (self.first_memory, self.first_reads, self.first_weightings)
            )
            weightings = softmax(weightings)
        else:
            memory = ops.full((rows, width), _LITTLE, dtype)
            reads = ops.zeros((self.read_heads, width), dtype)
            weightings = _row_0((self.read_heads + self.write_heads, rows), dtype)

        def of_each(x: Tensor) -> Tensor:
            return ops.broadcast_to(x, (batch, *x.shape))

        nothing = of_each(ops.zeros((self.units,), self.compute_dtype))
        controller = (nothing, nothing) if self.controller == "lstm" else ()
        return TuringState(controller, *map(of_each, (memory, weightings, reads)))

    def advance(self, state: TuringState, vector: Tensor) -> tuple[TuringState, Tensor]:
        reads = self._flat(state.reads)
        seen = ops.concatenate([ops.cast(vector, reads.dtype), reads], axis=-1)
        if self.controller == "lstm":
            said, controller = self.cell(seen, list(state.controller))
        else:
            said, controller = self.cell(seen), ()
        used = self.heads(said, state.memory, state.weightings)
        state = TuringState(tuple(controller), *used)
        return state, ops.concatenate([said, self._flat(state.reads)], axis=-1)

    def _flat(self, reads: Tensor) -> Tensor:
        """All reads of an example in one row, as the controller takes them."""
        reads = ops.cast(reads, self.compute_dtype)
        return ops.reshape(reads, (-1, self.read_heads * self.memory_width))

    def state_shape(self, batch: int | None, columns: int | None) -> TuringState:
        rows, width = self.memory_rows, self.memory_width
        heads = self.read_heads + self.write_heads
        return TuringState(
            ((batch, self.units),) * (2 * (self.controller == "lstm")),
            (batch, rows, width),
            (batch, heads, rows),
            (batch, self.read_heads, width),
        )

    def get_config(self) -> dict:
        serialize = keras.initializers.serialize
        return {
            **super().get_config(),
            "units": self.units,
            "memory_rows": self.memory_rows,
            "memory_width": self.memory_width,
            "controller": self.controller,
            "read_heads": self.read_heads,
            "write_heads": self.write_heads,
            "shift_range": self.shift_range,
            "memory_start": self.memory_start,
            "kernel_initializer": serialize(self.kernel_initializer),
            "recurrent_initializer": serialize(self.recurrent_initializer),
        }


def _row_0(shape: tuple[int, int], dtype: str) -> Tensor:
    """Weightings [heads, N] that are all on the first row."""
    row = ops.one_hot(0, shape[1], dtype=dtype)
    return ops.broadcast_to(row, shape)
