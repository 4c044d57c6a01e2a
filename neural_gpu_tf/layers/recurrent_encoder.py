"""The encoder of the recurrent models."""

from typing import Any

import keras
from keras import ops

from neural_gpu_tf.configuration import true_or_false, whole_number
from neural_gpu_tf.layers.canvas import mask_or_all
from neural_gpu_tf.layers.cell_steps import STEPS
from neural_gpu_tf.layers.dropout_limit import check_dropout, limited_dropout
from neural_gpu_tf.layers.dropout_masks import dropout_mask, own_seed
from neural_gpu_tf.layers.initializers import fresh, of_part
from neural_gpu_tf.layers.kept_parts import KeepsParts
from neural_gpu_tf.layers.recurrence import by_steps, recur_cell
from neural_gpu_tf.layers.recurrent_cells import new_cell, state_tensors
from neural_gpu_tf.types import Tensor

States = tuple[tuple[Tensor, ...], ...]


@keras.saving.register_keras_serializable("neural_gpu_tf")
class RecurrentEncoder(KeepsParts, keras.layers.Layer):
    """A stack of recurrent layers over the positions that exist.

        →h^i_k = cell_i(x^i_k, →h^i_{k-1}),  ←h^i_k = cell'_i(x^i_k, ←h^i_{k+1})
        x^1 = the source's vectors,  x^{i+1} = h^i
        h^i_k = →h^i_k, or [→h^i_k; ←h^i_k] if bidirectional

    (Cho et al. 2014 and Sutskever et al. 2014; both directions: Bahdanau et al. 2014,
    "Neural Machine Translation by Jointly Learning to Align and Translate", §3.2.)
    Both directions start from 0. Masked positions are skipped, wherever they are; the
    backward direction starts at the last valid one. So an example's result does not
    depend on the batch.

    A decoder of as many layers starts from

        s^i_0 = →h^i_n                                    one direction
        s^i_0 = tanh(W^i [→h^i_n; ←h^i_1] + b^i)          bidirectional

    (Bahdanau et al., A.2.2, whose W sees ←h_1 only; an LSTM's c likewise.)

    Args:
        units: of a cell.
        layers: how many are stacked.
        cell: "gru" or "lstm", see `new_cell`.
        bidirectional: whether there is a backward direction.
        kernel_initializer: of what multiplies a layer's input, and of the W^i.
        recurrent_initializer: of what multiplies a cell's state.
        dropout: rate at which the input of each layer is dropped in training
            (Zaremba et al. 2014, "Recurrent Neural Network Regularization").
        seed: of the dropout.

    Input shape: vectors [batch, n, e]; mask, bool [batch, n], the Keras mask of the
        vectors if not given, or all.
    Output shape: the annotations h of the last layer, [batch, n, d], 0 where no
        position exists, d = units or, if bidirectional, 2 units; and s_0: for each
        layer (h,) or (h, c), each [batch, units]. Both are 0 for an empty source, but
        for what the b^i give.

    Example:
        >>> vectors, mask = keras.ops.ones((2, 5, 16)), keras.ops.ones((2, 5), "bool")
        >>> annotations, states = RecurrentEncoder(units=24)(vectors, mask)
        >>> annotations.shape, len(states), states[0][0].shape
        ((2, 5, 24), 2, (2, 24))
    """

    def __init__(
        self,
        units: int,
        layers: int = 2,
        cell: str = "gru",
        bidirectional: bool = False,
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        dropout: float = 0.0,
        seed: int | None = None,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        self.supports_masking = True  # the annotations have that of the vectors
        check_dropout(dropout)
        units = whole_number("units", units, 1)
        layers = whole_number("layers", layers, 1)
        self.units = units
        self.depth = layers
        self.cell = cell
        self.bidirectional = true_or_false("bidirectional", bidirectional)
        self.kernel_initializer = keras.initializers.get(kernel_initializer)
        self.recurrent_initializer = keras.initializers.get(recurrent_initializer)
        self.dropout = dropout
        self.seed = seed
        self.seed_generator = keras.random.SeedGenerator(seed)
        self.forward_rnns = [self._direction(f"forward_{i + 1}") for i in range(layers)]
        self.backward_rnns = []
        self.bridges = []  # W^i and b^i, in the order of the decoder's state
        if bidirectional:
            self.backward_rnns = [
                self._direction(f"backward_{i + 1}", go_backwards=True)
                for i in range(layers)
            ]
            self.bridges = [
                keras.layers.Dense(
                    units,
                    activation="tanh",
                    kernel_initializer=fresh(kernel_initializer, f"bridge_{i + 1}"),
                    dtype=self.dtype_policy,
                    name=f"bridge_{i + 1}",
                )
                for i in range(layers * state_tensors(cell))
            ]

    def _direction(self, name: str, **kwargs: Any) -> keras.layers.RNN:
        return keras.layers.RNN(
            new_cell(
                self.cell,
                self.units,
                of_part(self.kernel_initializer, name),
                of_part(self.recurrent_initializer, name),
                dtype=self.dtype_policy,
                name="cell",
            ),
            return_sequences=True,
            return_state=True,
            dtype=self.dtype_policy,
            name=name,
            **kwargs,
        )

    def build(self, vectors_shape: Any, mask_shape: Any = None) -> None:
        shape = (None, None, vectors_shape[-1])
        for i, rnn in enumerate(self.forward_rnns):
            rnn.build(shape)
            if self.bidirectional:
                self.backward_rnns[i].build(shape)
            shape = (None, None, (1 + self.bidirectional) * self.units)
        for bridge in self.bridges:
            bridge.build((None, 2 * self.units))
        self.built = True

    def call(
        self, vectors: Tensor, mask: Tensor | None = None, training: bool = False
    ) -> tuple[Tensor, States]:
        mask = mask_or_all(mask, vectors)
        rate = limited_dropout(self.dropout)
        drops = training and rate
        seed = own_seed(self.seed_generator.next()) if drops else None
        bridges = iter(self.bridges)
        inside = ops.cast(mask, self.compute_dtype)[:, :, None]
        states = []
        exists = by_steps(mask)[:, :, None]
        for i, rnn in enumerate(self.forward_rnns):
            if drops:
                vectors = vectors * dropout_mask(vectors, rate, seed, i)
            x = by_steps(vectors)
            outputs, state = self._run(rnn, x, exists, training)
            if self.bidirectional:
                others, other_state = self._run(
                    self.backward_rnns[i], x, exists, training
                )
                outputs = ops.concatenate([outputs, others], axis=-1)
                state = tuple(
                    next(bridges)(ops.concatenate(both, axis=-1))
                    for both in zip(state, other_state, strict=True)
                )
            states.append(state)
            # a cell passed over repeats what it said
            vectors = by_steps(outputs) * inside
        return vectors, tuple(states)

    def _run(
        self, direction: keras.layers.RNN, x: Tensor, exists: Tensor, training: bool
    ) -> tuple[Tensor, tuple[Tensor, ...]]:
        """h of all steps [n, batch, units] and the last state, started from 0."""
        nothing = ops.zeros((ops.shape(x)[1], self.units), dtype=x.dtype)
        return recur_cell(
            STEPS[self.cell],
            direction.cell,
            x,
            [nothing] * state_tensors(self.cell),
            exists,
            direction.go_backwards,
            training,
        )

    def compute_output_shape(self, vectors_shape: Any, *_: Any, **__: Any) -> Any:
        batch, columns = vectors_shape[:2]
        size = (1 + self.bidirectional) * self.units
        state = ((batch, self.units),) * state_tensors(self.cell)
        return (batch, columns, size), (state,) * self.depth

    def get_config(self) -> dict:
        serialize = keras.initializers.serialize
        return {
            **super().get_config(),
            "units": self.units,
            "layers": self.depth,
            "cell": self.cell,
            "bidirectional": self.bidirectional,
            "kernel_initializer": serialize(self.kernel_initializer),
            "recurrent_initializer": serialize(self.recurrent_initializer),
            "dropout": self.dropout,
            "seed": self.seed,
        }
