"""The Neural Turing Machine."""

from typing import Any, NamedTuple

import keras
from keras import ops

from neural_gpu_tf.layers.turing_machine import TuringMachine, TuringState
from neural_gpu_tf.models.machine_model import MachineModel
from neural_gpu_tf.models.recurrent_model import EMBEDDINGS, KERNELS
from neural_gpu_tf.types import Tensor


class Weightings(NamedTuple):
    """Weightings of the heads in n steps of reading the source, then n of writing."""

    read: Tensor  # [batch, 2n, read_heads, N]
    write: Tensor  # [batch, 2n, write_heads, N]


@keras.saving.register_keras_serializable("neural_gpu_tf")
class NeuralTuringMachine(MachineModel):
    """The Neural Turing Machine: a controller network with an external memory.

        h_t           = controller([x_t; r_{t-1}])         (`TuringMachine`)
        M_t, w_t, r_t = heads(h_t, M_{t-1}, w_{t-1})       (`TuringHeads`)
        l_t           = O [h_t; r_t]

    where x_t = E i_t while it reads the source and E' o_{t-1} after that. (Graves,
    Wayne & Danihelka 2014, "Neural Turing Machines". There x_t is 0 while the network
    answers, and an answer is bits, each with a sigmoid of its own; here it is symbols,
    with a softmax over them, as in all models, so that answers can be searched.)

    Args:
        vocabulary_size, embedding_size, embedding_initializer: see `MachineModel`, as
            for inputs and output.
        kernel_initializer: of O, and see `TuringMachine`.
        units, memory_rows, memory_width, controller, read_heads, write_heads,
            shift_range, memory_start, recurrent_initializer, dropout, seed: see
            `TuringMachine`.

    Example:
        >>> model = NeuralTuringMachine(vocabulary_size=32, units=24, memory_rows=16)
        >>> symbols = keras.ops.ones((2, 5), "int32")
        >>> size = keras.ops.array([5, 3])
        >>> model.weightings(symbols, symbols, size).read.shape
        (2, 10, 1, 16)
    """

    def __init__(
        self,
        vocabulary_size: int,
        units: int = 100,
        embedding_size: int = 32,
        memory_rows: int = 128,
        memory_width: int = 20,
        controller: str = "lstm",
        read_heads: int = 1,
        write_heads: int = 1,
        shift_range: int = 1,
        memory_start: str = "learned",
        kernel_initializer: Any = KERNELS,
        recurrent_initializer: Any = "orthogonal",
        embedding_initializer: Any = EMBEDDINGS,
        dropout: float = 0.0,
        seed: int | None = None,
        dtype: Any = None,
        **kwargs: Any,
    ):
        own: dict[str, Any] = dict(
            units=units,
            memory_rows=memory_rows,
            memory_width=memory_width,
            controller=controller,
            read_heads=read_heads,
            write_heads=write_heads,
            shift_range=shift_range,
            memory_start=memory_start,
            dropout=dropout,
            seed=seed,
        )
        machine = TuringMachine(
            **own,
            kernel_initializer=kernel_initializer,
            recurrent_initializer=recurrent_initializer,
            dtype=dtype,
            name="machine",
        )
        recurrent = keras.initializers.serialize(machine.recurrent_initializer)
        super().__init__(
            vocabulary_size,
            machine,
            embedding_size=embedding_size,
            kernel_initializer=kernel_initializer,
            embedding_initializer=embedding_initializer,
            dtype=dtype,
            own={**own, "recurrent_initializer": recurrent},
            **kwargs,
        )

    def weightings(self, source: Tensor, target: Tensor, size: Tensor) -> Weightings:
        """w_t of every head at every step.

        Args:
            source: symbols [batch, n].
            target: symbols [batch, n], a gold target or the model's own output.
            size: n_b, [batch].

        Returns:
            0 where a step has no symbol: holes in the source, and k ≥ n_b of both.
        """

        def look(state: TuringState) -> Tensor:
            return state.weightings

        state = self.machine.initial_state(ops.shape(source)[0])
        reading, state = self.read(source, size, state, look)
        writing, _ = self.write(target, size, state, look)
        both = ops.concatenate([reading, writing], axis=1)
        writers = self.machine.write_heads
        return Weightings(read=both[:, :, writers:], write=both[:, :, :writers])
