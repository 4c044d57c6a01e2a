"""The recurrent network with stacks."""

from typing import Any

import keras
from keras import ops

from neural_gpu_tf.layers.stack_machine import StackMachine
from neural_gpu_tf.models.machine_model import MachineModel, MachineState
from neural_gpu_tf.models.recurrent_model import EMBEDDINGS, KERNELS
from neural_gpu_tf.types import Tensor


@keras.saving.register_keras_serializable("neural_gpu_tf")
class StackRNN(MachineModel):
    """A recurrent network with differentiable stacks.

        h_t, s_t = from x_t, h_{t-1} and the tops of s_{t-1}   (`StackMachine`)
        l_t      = O h_t

    where x_t = E i_t while it reads the source and E' o_{t-1} after that, on the same
    stacks. (Joulin & Mikolov 2015, "Inferring Algorithmic Patterns with
    Stack-Augmented Recurrent Nets", eqs. 1 to 7. There it predicts the next symbol of
    one sequence, of sums that of the answer alone; here the sequence is the source, GO
    and the target, and only the target is predicted.)

    Args:
        vocabulary_size, embedding_size, embedding_initializer: see `MachineModel`, as
            for inputs and output.
        kernel_initializer: of O, and see `StackMachine`.
        units, stacks, recurrent, recurrent_initializer, dropout, seed: see
            `StackMachine`.
        stack_depth: its `depth`; 0 for as many places as the symbols read and written
            can ever need.
        stack_tops: its `tops`.

    Example:
        >>> model = StackRNN(vocabulary_size=32, units=24, embedding_size=16)
        >>> symbols = keras.ops.ones((2, 5), "int32")
        >>> model.start(symbols, keras.ops.array([5, 3])).machine.stacks.shape
        (2, 10, 12)
    """

    def __init__(
        self,
        vocabulary_size: int,
        units: int = 100,
        embedding_size: int = 32,
        stacks: int = 10,
        stack_depth: int = 0,
        stack_tops: int = 2,
        recurrent: bool = True,
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
            stacks=stacks,
            recurrent=recurrent,
            dropout=dropout,
            seed=seed,
        )
        machine = StackMachine(
            **own,
            tops=stack_tops,
            depth=stack_depth,
            kernel_initializer=kernel_initializer,
            recurrent_initializer=recurrent_initializer,
            dtype=dtype,
            name="machine",
        )
        own |= dict(
            stack_depth=stack_depth,
            stack_tops=stack_tops,
            recurrent_initializer=keras.initializers.serialize(
                machine.recurrent_initializer
            ),
        )
        super().__init__(
            vocabulary_size,
            machine,
            embedding_size=embedding_size,
            kernel_initializer=kernel_initializer,
            embedding_initializer=embedding_initializer,
            dtype=dtype,
            own=own,
            **kwargs,
        )

    def start(self, source: Tensor, size: Tensor) -> MachineState:
        """As `MachineModel.start`, the stacks with room for n symbols to write."""
        state = super().start(source, size)
        machine = self.machine.deepened(state.machine, ops.shape(source)[1])
        return state._replace(machine=machine)
