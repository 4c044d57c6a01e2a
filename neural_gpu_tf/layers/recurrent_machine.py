"""Base of the recurrent layers with a memory of their own."""

import abc
import functools
import math
import numbers
from collections.abc import Callable, Sequence
from typing import Any

import keras
from keras import ops

from neural_gpu_tf.layers.dropout_limit import check_dropout, limited_dropout
from neural_gpu_tf.layers.dropout_masks import dropout_mask, own_seed
from neural_gpu_tf.layers.kept_parts import KeepsParts
from neural_gpu_tf.layers.loops import record_loop, stack
from neural_gpu_tf.layers.recurrence import by_steps
from neural_gpu_tf.types import Tensor

State = Any


class RecurrentMachine(KeepsParts, keras.layers.Layer, abc.ABC):
    """A layer that takes one vector after the other and has a state of its own.

        z_k, s_k = advance(s_{k-1}, x_k)

    Positions that don't exist are passed over, wherever they stand: s_k = s_{k-1}. So
    nothing depends on the batch; and a machine that has read one sequence goes on with
    another if it is called with the state that it returned.

    A subclass has `output_size`, `initial_state` and `advance`. Its state is any nest
    of tensors that lead with the batch; their dtypes are its own affair.

    Args:
        dropout: rate at which the x_k and the z_k are dropped in training (Zaremba et
            al. 2014, "Recurrent Neural Network Regularization").
        seed: of the dropout.

    Input shape: vectors x [batch, n, e]; mask, bool [batch, n], if not given that of
        Keras, or all positions; state, that before the first vector, `initial_state` if
        not given.
    Output shape: z [batch, n, output_size], 0 where no position exists; the state after
        the last vector.
    """

    def __init__(self, dropout: float = 0.0, seed: int | None = None, **kwargs: Any):
        super().__init__(autocast=False, **kwargs)  # a state stays as it is
        check_dropout(dropout)
        self.supports_masking = True  # the mask that is taken is that of z
        self.dropout = dropout
        self.seed = seed
        self.seed_generator = keras.random.SeedGenerator(seed)

    @property
    @abc.abstractmethod
    def output_size(self) -> int:
        """The size of z."""

    @abc.abstractmethod
    def initial_state(self, batch: Tensor | int) -> State:
        """The state before anything was read, for so many examples."""

    @abc.abstractmethod
    def advance(self, state: State, vector: Tensor) -> tuple[State, Tensor]:
        """One step: s_{k-1} and x_k [batch, e] to s_k and z_k [batch, output_size]."""

    def call(
        self,
        vectors: Tensor,
        mask: Tensor | None = None,
        state: State | None = None,
        training: bool = False,
        vectors_mask: Tensor | None = None,
    ) -> tuple[Tensor, State]:
        mask = vectors_mask if mask is None else mask  # Keras's, where state is given
        first = self.initial_state(ops.shape(vectors)[0])
        state = first if state is None else self._as_own(state, first)
        rate = limited_dropout(self.dropout)
        if not (training and rate):
            return self.run(vectors, mask, state)
        seed = own_seed(self.seed_generator.next())
        vectors = vectors * dropout_mask(vectors, rate, seed, 0)
        outputs, state = self.run(vectors, mask, state)
        return outputs * dropout_mask(outputs, rate, seed, 1), state

    def _as_own(self, state: Any, first: State) -> State:
        """A state given, as `first` is nested; raises ValueError if it does not fit."""
        leaves = keras.tree.flatten(state)  # a saved functional model has them in lists
        given = [tuple(leaf.shape) for leaf in leaves]
        shapes = _shapes(self.state_shape(None, None))
        if len(given) != len(shapes) or not all(map(_fits, given, shapes)):
            raise ValueError(
                f"{self.name}: a state of shapes {given} is not that of this layer, "
                f"{shapes}; give what it returned, or leave the state out"
            )
        return keras.tree.pack_sequence_as(first, leaves)

    def run(
        self,
        vectors: Tensor,
        mask: Tensor | None,
        state: State,
        look: Callable[[State], Tensor] | None = None,
    ) -> tuple[Tensor, State]:
        """All steps in a loop, without dropout.

        Args:
            vectors, mask, state: as those of `call`.
            look: what to tell of each step: a tensor of s_k; z_k if not given.

        Returns:
            It, [batch, n, …], 0 where no position exists; the state after the last
            vector.
        """
        if look is None:
            shape = (vectors.shape[0], self.output_size)
            like = keras.KerasTensor(shape, self.compute_dtype)
        else:
            like = look(state)

        def body(t: Tensor, before: State, inputs: list) -> tuple[State, Tensor]:
            vector, *exists = inputs
            after, output = self.advance(before, vector)
            seen = output if look is None else look(after)
            for mask in exists:
                held = functools.partial(hold, mask)
                after = keras.tree.map_structure(held, after, before)
                seen = held(seen, ops.zeros_like(seen))
            return after, seen

        inputs = [by_steps(x) for x in (vectors, mask) if x is not None]
        steps = ops.shape(vectors)[1]
        last, seen = record_loop(body, state, steps, like, inputs)
        return by_steps(stack(seen)), last

    @abc.abstractmethod
    def state_shape(self, batch: int | None, columns: int | None) -> State:
        """The shapes of the state after so many vectors."""

    def compute_output_shape(self, vectors_shape: Any, *_: Any, **__: Any) -> Any:
        batch, columns = vectors_shape[:2]
        return (batch, columns, self.output_size), self.state_shape(batch, columns)

    def compute_output_spec(self, *args: Any, **kwargs: Any) -> Any:
        # By tracing: a state has dtypes of its own.
        return keras.Operation.compute_output_spec(self, *args, **kwargs)

    def get_config(self) -> dict:
        return {**super().get_config(), "dropout": self.dropout, "seed": self.seed}


def _shapes(nest: Any) -> list[tuple]:
    """The shapes in a nest of them, from first to last."""
    if nest and all(x is None or isinstance(x, numbers.Integral) for x in nest):
        return [tuple(nest)]
    return [shape for part in nest for shape in _shapes(part)]


def _fits(shape: Sequence[int | None], like: Sequence[int | None]) -> bool:
    """Whether two shapes are equal where both are known."""
    pairs = zip(shape, like, strict=False)
    return len(shape) == len(like) and all(a == b or None in (a, b) for a, b in pairs)


def hold(mask: Tensor, new: Tensor, old: Tensor) -> Tensor:
    """`new` in the examples that exist, `old` in the others.

    Args:
        mask: bool [batch].
        new, old: [batch, …], finite.
    """
    # On a CPU this is much quicker than to select.
    mask = ops.cast(mask, new.dtype)[:, None]
    batch, *rest = ops.shape(new)  # a stack's depth is not static
    held = [ops.reshape(x, (batch, math.prod(rest))) for x in (new, old)]
    held = mask * held[0] + (1.0 - mask) * held[1]
    return ops.reshape(held, (batch, *rest))
