"""Recurrent layer with stacks (Joulin & Mikolov 2015)."""

from collections.abc import Callable
from typing import Any, NamedTuple

import keras
from keras import ops

from neural_gpu_tf.configuration import true_or_false, whole_number
from neural_gpu_tf.layers.initializers import fresh
from neural_gpu_tf.layers.operations import as_tensor
from neural_gpu_tf.layers.recurrent_machine import RecurrentMachine
from neural_gpu_tf.types import Tensor

EMPTY = -1.0
"""What stands in every place of a stack where nothing was pushed."""


class StackState(NamedTuple):
    """What is carried from step to step; every tensor leads with the batch."""

    hidden: Tensor  # [batch, units]: h_t
    stacks: Tensor  # [batch, stacks, depth]: s_t, the tops first


@keras.saving.register_keras_serializable("neural_gpu_tf")
class StackMachine(RecurrentMachine):
    """A recurrent layer with differentiable stacks: soft PUSH, POP and NO-OP.

        h_t    = σ(U x_t + R h_{t-1} + P s^k_{t-1})
        a_t    = softmax(A h_t)                    PUSH, POP and NO-OP, of each stack
        s_t[0] = a_t[PUSH] σ(D h_t)   + a_t[POP] s_{t-1}[1]   + a_t[NO-OP] s_{t-1}[0]
        s_t[i] = a_t[PUSH] s_{t-1}[i-1] + a_t[POP] s_{t-1}[i+1] + a_t[NO-OP] s_{t-1}[i]
        z_t    = h_t

    where s[0] is the top of a stack of numbers, s^k the k topmost of every stack side
    by side, and -1 stands where a stack holds nothing; h_0 = 0. (Joulin & Mikolov
    2015, "Inferring Algorithmic Patterns with Stack-Augmented Recurrent Nets", §3,
    eqs. 1 and 3 to 7; there are no biases.) With `recurrent` False there is no R, as in
    most of their experiments: h_t sees the past through the stacks alone.

    The actions sum to 1, so every place below what was pushed stays -1: a stack with
    one place per step is equivalent to an unbounded one. A shallower stack loses what
    is pushed out at its bottom.

    Args:
        units: of h.
        stacks: number of stacks, which interact only through h.
        tops: k.
        depth: places of a stack; 0 for as many as can be needed, see `deepened`.
        recurrent: whether there is R.
        kernel_initializer: of U, P, A and D.
        recurrent_initializer: of R.
        dropout, seed: see `RecurrentMachine`.

    Input and output shape: see `RecurrentMachine`; z_t has `units` numbers; the state
        is a `StackState`.

    Example:
        >>> machine = StackMachine(units=24, stacks=3)
        >>> outputs, state = machine(keras.ops.ones((2, 5, 8)))
        >>> outputs.shape, state.stacks.shape
        ((2, 5, 24), (2, 3, 7))
    """

    def __init__(
        self,
        units: int,
        stacks: int = 10,
        tops: int = 2,
        depth: int = 0,
        recurrent: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        units = whole_number("units", units, 1)
        stacks = whole_number("stacks", stacks, 1)
        tops = whole_number("tops", tops, 1)
        if depth:
            depth = whole_number("depth", depth, tops)
        self.units = units
        self.stacks = stacks
        self.tops = tops
        self.depth = depth
        self.recurrent = true_or_false("recurrent", recurrent)
        self.kernel_initializer = keras.initializers.get(kernel_initializer)
        self.recurrent_initializer = keras.initializers.get(recurrent_initializer)

    @property
    def output_size(self) -> int:
        return self.units

    @property
    def stack_dtype(self) -> str:
        """The dtype of the stacks, the compute dtype but float32 at least."""
        return keras.backend.result_type(self.compute_dtype, "float32")

    def build(self, vectors_shape: Any, *_: Any, **__: Any) -> None:
        def kernel(name: str, rows: int, columns: int, initializer: Any) -> Any:
            return self.add_weight(
                shape=(rows, columns),
                initializer=fresh(initializer, name),
                name=name,
            )

        m, stacks, new = self.units, self.stacks, self.kernel_initializer
        self.input_kernel = kernel("input_kernel", vectors_shape[-1], m, new)  # U
        if self.recurrent:
            start = self.recurrent_initializer
            self.recurrent_kernel = kernel("recurrent_kernel", m, m, start)  # R
        self.top_kernel = kernel("top_kernel", stacks * self.tops, m, new)  # P
        self.action_kernel = kernel("action_kernel", m, 3 * stacks, new)  # A
        self.push_kernel = kernel("push_kernel", m, stacks, new)  # D
        self.built = True

    def initial_state(self, batch: Tensor | int) -> StackState:
        places = (batch, self.stacks, self.depth or self.tops)
        return StackState(
            ops.zeros((batch, self.units), self.compute_dtype),
            ops.full(places, EMPTY, self.stack_dtype),
        )

    def deepened(self, state: StackState, steps: Tensor | int) -> StackState:
        """The same stacks with room for so many more steps, if `depth` is 0."""
        if self.depth:
            return state
        room = [[0, 0], [0, 0], [0, steps]]
        stacks = ops.pad(state.stacks, room, constant_values=EMPTY)
        return state._replace(stacks=stacks)

    def run(
        self,
        vectors: Tensor,
        mask: Tensor | None,
        state: StackState,
        look: Callable[[StackState], Tensor] | None = None,
    ) -> tuple[Tensor, StackState]:
        """As `RecurrentMachine.run`, on stacks with room for all steps."""
        state = self.deepened(state, ops.shape(vectors)[1])
        return super().run(vectors, mask, state, look)

    def advance(self, state: StackState, vector: Tensor) -> tuple[StackState, Tensor]:
        def times(x: Tensor, kernel: Any) -> Tensor:
            x = ops.cast(x, self.compute_dtype)
            return ops.matmul(x, as_tensor(kernel, self.compute_dtype))

        hidden, stacks = state
        batch = ops.shape(stacks)[0]
        tops = ops.reshape(stacks[:, :, : self.tops], (batch, self.stacks * self.tops))
        seen = times(vector, self.input_kernel)
        if self.recurrent:
            seen = seen + times(hidden, self.recurrent_kernel)
        hidden = ops.sigmoid(seen + times(tops, self.top_kernel))
        actions = ops.cast(times(hidden, self.action_kernel), self.stack_dtype)
        actions = ops.softmax(ops.reshape(actions, (batch, self.stacks, 3)), axis=-1)
        push, pop, stay = ops.split(actions, 3, axis=-1)
        new = ops.sigmoid(ops.cast(times(hidden, self.push_kernel), self.stack_dtype))
        pushed = ops.concatenate([new[:, :, None], stacks[:, :, :-1]], axis=-1)
        nothing = ops.full_like(stacks[:, :, :1], EMPTY)
        popped = ops.concatenate([stacks[:, :, 1:], nothing], axis=-1)
        stacks = push * pushed + pop * popped + stay * stacks
        return StackState(hidden, stacks), hidden

    def state_shape(self, batch: int | None, columns: int | None) -> StackState:
        deep = self.depth or (None if columns is None else self.tops + columns)
        return StackState((batch, self.units), (batch, self.stacks, deep))

    def compute_output_shape(
        self,
        vectors_shape: Any,
        mask_shape: Any = None,
        state_shape: Any = None,
        **_: Any,
    ) -> Any:
        outputs, state = super().compute_output_shape(vectors_shape)
        if state_shape is None or self.depth:
            return outputs, state
        given, columns = state_shape[1][-1], vectors_shape[1]
        deep = None if None in (given, columns) else given + columns
        return outputs, state._replace(stacks=(*state.stacks[:-1], deep))

    def get_config(self) -> dict:
        serialize = keras.initializers.serialize
        return {
            **super().get_config(),
            "units": self.units,
            "stacks": self.stacks,
            "tops": self.tops,
            "depth": self.depth,
            "recurrent": self.recurrent,
            "kernel_initializer": serialize(self.kernel_initializer),
            "recurrent_initializer": serialize(self.recurrent_initializer),
        }
