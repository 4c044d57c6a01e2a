"""Base of the models of one recurrent machine, which reads and then writes."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import keras
from keras import ops

from neural_gpu_tf.configuration import plain
from neural_gpu_tf.layers.initializers import fresh
from neural_gpu_tf.layers.recurrent_machine import RecurrentMachine
from neural_gpu_tf.layers.source_mask import SourceMask
from neural_gpu_tf.layers.within_size import WithinSize
from neural_gpu_tf.models.sequence_model import (
    SequenceModel,
    embedding,
    symbol_inputs,
)
from neural_gpu_tf.models.shift_right import shift_right, symbol_before
from neural_gpu_tf.types import Tensor

Look = Callable[[Any], Tensor]


class MachineState(NamedTuple):
    """What is carried from step to step; every tensor leads with the batch."""

    size: Tensor  # [batch]: n_b
    machine: Any  # the machine's own state


class MachineModel(SequenceModel):
    """A functional model: a machine reads the source's symbols, then says the target's.

        s_{k+1}      = machine(s_k, E i_k), over the symbols of the source
        s_{t+1}, z_t = machine(s_t, E' o_{t-1}), from where it stands then
        l_t          = O z_t,  o_{-1} = GO                 (`RecurrentMachine`)

    One machine with one set of weights does both; GO tells it that the source ends.
    With an empty source it is a language model.

    Args:
        vocabulary_size: number of symbols, of source and target.
        machine: the layer.
        embedding_size: of E and E'.
        kernel_initializer: of O.
        embedding_initializer: of the embeddings.
        own: the other options of the subclass, for `get_config`.
        dtype: policy of all layers.

    Inputs, a dict: source [batch, n] symbols; target [batch, n] symbols (the logits at
    t see target[:, :t] only); size [batch], n_b ≤ n. PAD in the source is no symbol,
    wherever it stands.
    Output: logits [batch, n, vocabulary_size], 0 for t ≥ n_b.
    """

    sized = False

    def __init__(
        self,
        vocabulary_size: int,
        machine: RecurrentMachine,
        embedding_size: int,
        kernel_initializer: Any,
        embedding_initializer: Any,
        own: Mapping[str, Any],
        dtype: Any = None,
        **kwargs: Any,
    ):
        # Layers
        vocabulary_size = plain(vocabulary_size)
        embedding_size = plain(embedding_size)

        def symbols(name: str) -> keras.layers.Embedding:
            initializer, size = embedding_initializer, embedding_size
            return embedding(vocabulary_size, size, initializer, dtype=dtype, name=name)

        parts = {
            "source_mask": SourceMask(dtype=dtype, name="source_mask"),
            "source_embedding": symbols("source_embedding"),
            "target_embedding": symbols("target_embedding"),
            "machine": machine,
            "within_size": WithinSize(dtype=dtype, name="within_size"),
            "readout": keras.layers.Dense(
                vocabulary_size,
                use_bias=False,
                kernel_initializer=fresh(kernel_initializer, "readout"),
                dtype=dtype,
                name="readout",
            ),
        }

        # Graph
        inputs = symbol_inputs()
        source, size = inputs["source"], inputs["size"]
        vectors = parts["source_embedding"](source)
        _, state = machine(vectors, parts["source_mask"](source, size))
        vectors = parts["target_embedding"](shift_right(inputs["target"]))
        outputs, _ = machine(vectors, None, state)
        outputs = parts["readout"](parts["within_size"](outputs, size))
        super().__init__(inputs=inputs, outputs=outputs, **kwargs)

        # Config
        self.keep_parts(parts)
        self.keep_config(
            dtype,
            vocabulary_size=vocabulary_size,
            embedding_size=embedding_size,
            kernel_initializer=kernel_initializer,
            embedding_initializer=embedding_initializer,
            **{name: plain(value) for name, value in own.items()},
        )

    def start(self, source: Tensor, size: Tensor) -> MachineState:
        """Reads: source [batch, n] symbols, size [batch] → the state to write from."""
        state = self.machine.initial_state(ops.shape(source)[0])
        return MachineState(size, self.read(source, size, state)[1])

    def step(
        self, state: MachineState, previous: Tensor, t: Tensor | int
    ) -> tuple[MachineState, Tensor]:
        """One symbol: previous [batch] (o_{t-1}; not used at t = 0) → logits."""
        vector = self.target_embedding(symbol_before(previous, t))
        machine, output = self.machine.advance(state.machine, vector)
        inside = ops.cast(t, "int32") < ops.cast(state.size, "int32")
        output = output * ops.cast(inside, output.dtype)[:, None]
        return state._replace(machine=machine), self.readout(output)

    def read(
        self, source: Tensor, size: Tensor, state: Any, look: Look | None = None
    ) -> tuple[Tensor, Any]:
        """`RecurrentMachine.run` over the source."""
        mask = self.source_mask(source, size)
        return self.machine.run(self.source_embedding(source), mask, state, look)

    def write(
        self, target: Tensor, size: Tensor, state: Any, look: Look | None = None
    ) -> tuple[Tensor, Any]:
        """`RecurrentMachine.run` over the target, which is given (teacher forcing)."""
        vectors = self.target_embedding(shift_right(target))
        mask = ops.arange(ops.shape(target)[1], dtype="int32")[None, :]
        mask = mask < ops.cast(size, "int32")[:, None]
        return self.machine.run(vectors, mask, state, look)
