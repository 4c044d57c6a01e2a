"""Base of the recurrent encoder-decoder models."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import keras
from keras import ops

from neural_gpu_tf.configuration import plain, true_or_false
from neural_gpu_tf.layers.initializers import default, fresh, of_part
from neural_gpu_tf.layers.recurrent_cells import Cells, looping
from neural_gpu_tf.layers.recurrent_decoder import RecurrentDecoder
from neural_gpu_tf.layers.recurrent_encoder import RecurrentEncoder, States
from neural_gpu_tf.layers.recurrent_state import RecurrentState
from neural_gpu_tf.layers.source_mask import SourceMask
from neural_gpu_tf.models.sequence_model import (
    SequenceModel,
    Step,
    embedding,
    symbol_inputs,
)
from neural_gpu_tf.models.shift_right import shift_right, symbol_before
from neural_gpu_tf.types import Tensor

KERNELS = default(keras.initializers.Orthogonal)
EMBEDDINGS = default(keras.initializers.RandomUniform, -0.1, 0.1)
"""Start of the embeddings: with ±1 the cells are saturated."""

_OF_STACKS = ("units", "layers", "cell", "dropout")


class RecurrentModel(SequenceModel):
    """A functional model: symbols → recurrent encoder → recurrent decoder → logits.

        h, s_0 = encoder(E i)                              (`RecurrentEncoder`)
        r_t    = decoder step t from s_0, E' o_{t-1}       (`RecurrentDecoder`)
        l_t    = O r_t,  o_{-1} = GO

    A subclass says by `attention_score` whether the decoder reads something, and by
    `encode` what.

    Args:
        vocabulary_size: number of symbols, of source and target.
        units: of a cell.
        embedding_size: of E and E', and of r_t.
        layers: of the encoder, and of the decoder.
        cell: "gru" or "lstm".
        bidirectional: whether the encoder also reads backwards.
        kernel_initializer: of all matrices but those of the cells' states.
        recurrent_initializer: of the matrices of the cells' states.
        embedding_initializer: of the embeddings.
        dropout: rate at which the layers' inputs are dropped in training.
        seed: of the dropout.
        dtype: policy of all layers.
        own: the options that only a subclass has; its `own_layers` gets them.

    Inputs, a dict: source [batch, n] symbols; target [batch, n] symbols (the logits at
    t see target[:, :t] only); size [batch], n_b ≤ n. PAD in the source is no symbol,
    wherever it stands.
    Output: logits [batch, n, vocabulary_size], 0 for t ≥ n_b.
    """

    attention_score: str | None = None

    sized = False

    def __init__(
        self,
        vocabulary_size: int,
        units: int = 1024,
        embedding_size: int = 512,
        layers: int = 2,
        cell: str = "gru",
        bidirectional: bool = False,
        kernel_initializer: Any = KERNELS,
        recurrent_initializer: Any = "orthogonal",
        embedding_initializer: Any = EMBEDDINGS,
        dropout: float = 0.0,
        seed: int | None = None,
        dtype: Any = None,
        own: Mapping[str, Any] | None = None,
        **kwargs: Any,
    ):
        # Layers
        own = {name: plain(value) for name, value in (own or {}).items()}
        options = dict(
            vocabulary_size=vocabulary_size,
            units=units,
            embedding_size=embedding_size,
            layers=layers,
            cell=cell,
            bidirectional=true_or_false("bidirectional", bidirectional),
            kernel_initializer=kernel_initializer,
            recurrent_initializer=recurrent_initializer,
            embedding_initializer=embedding_initializer,
            dropout=dropout,
            seed=seed,
        )
        options = {name: plain(value) for name, value in options.items()}
        parts = self.make_layers(options, own, dtype)

        # Graph
        inputs = symbol_inputs()
        size = inputs["size"]
        initial_state, rows, mask = self.encode(parts, inputs["source"], size)
        vectors = parts["target_embedding"](shift_right(inputs["target"]))
        readouts = parts["decoder"](vectors, initial_state, rows, size, mask)
        outputs = parts["readout"](readouts)
        super().__init__(inputs=inputs, outputs=outputs, **kwargs)

        # Config
        self.keep_parts(parts)
        self.keep_config(dtype, **options, **own)

    def make_layers(
        self, options: Mapping[str, Any], own: Mapping[str, Any], dtype: Any
    ) -> dict[str, Any]:
        """All layers, by attribute name.

        Args:
            options: those of `__init__`, by name.
            own: the options that only a subclass has.
            dtype: policy of all layers.
        """
        kernel_initializer, seed = options["kernel_initializer"], options["seed"]

        def of_stack(name: str) -> dict[str, Any]:
            return {option: options[option] for option in _OF_STACKS} | dict(
                kernel_initializer=of_part(kernel_initializer, name),
                recurrent_initializer=of_part(options["recurrent_initializer"], name),
                dtype=dtype,
                name=name,
            )

        def symbols(name: str) -> keras.layers.Embedding:
            return embedding(
                options["vocabulary_size"],
                options["embedding_size"],
                options["embedding_initializer"],
                dtype=dtype,
                name=name,
            )

        return {
            "source_mask": SourceMask(dtype=dtype, name="source_mask"),
            "source_embedding": symbols("source_embedding"),
            "target_embedding": symbols("target_embedding"),
            "encoder": RecurrentEncoder(
                **of_stack("encoder"),
                bidirectional=options["bidirectional"],
                seed=seed,
            ),
            **self.own_layers(own, kernel_initializer, dtype),
            "decoder": RecurrentDecoder(
                **of_stack("decoder"),
                readout_size=options["embedding_size"],
                attention_score=own.get("attention_score", self.attention_score),
                attention_scoring=own.get("decoder_scoring", "softmax"),
                # not the encoder's, or both would drop alike
                seed=None if seed is None else seed + 1,
            ),
            "readout": keras.layers.Dense(
                options["vocabulary_size"],
                use_bias=False,
                kernel_initializer=fresh(kernel_initializer, "readout"),
                dtype=dtype,
                name="readout",
            ),
        }

    @staticmethod
    def own_layers(
        own: Mapping[str, Any], kernel_initializer: Any, dtype: Any
    ) -> dict[str, keras.layers.Layer]:
        """The layers that only a subclass has, by attribute name."""
        return {}

    @staticmethod
    def encode(
        parts: Mapping[str, keras.layers.Layer], source: Tensor, size: Tensor
    ) -> tuple[States, Tensor, Tensor | None]:
        """What the decoder starts from and may read: s_0, rows, which rows exist.

        The rows are the annotations h [batch, n, d] here.
        """
        mask = parts["source_mask"](source, size)
        rows, initial_state = parts["encoder"](parts["source_embedding"](source), mask)
        return initial_state, rows, mask

    def start(self, source: Tensor, size: Tensor) -> Any:
        """Encodes: source [batch, n] symbols, size [batch] → the decoder's state."""
        initial_state, rows, mask = self.encode(self.parts(), source, size)
        return self.decoder.start(initial_state, rows, size, mask)

    def stepper(self) -> Step:
        return partial(self.step, cells=looping(self.decoder.cells))

    def step(
        self,
        state: Any,
        previous: Tensor,
        t: Tensor | int,
        cells: Cells | None = None,
    ) -> tuple[Any, Tensor]:
        """One symbol: previous [batch] (o_{t-1}; not used at t = 0) → logits.

        In a loop with the decoder's cells `looping`.
        """
        state, _, logits = self.advance(state, previous, t, cells)
        return state, logits

    def advance(
        self,
        state: RecurrentState,
        previous: Tensor,
        t: Tensor | int,
        cells: Cells | None = None,
    ) -> tuple[RecurrentState, Tensor | None, Tensor]:
        """`step` that also tells what was looked at.

        Returns:
            The new state, the weights α_t [batch, r] (None without attention), and
            the logits [batch, v].
        """
        vector = self.target_embedding(symbol_before(previous, t))
        state, readout, weights = self.decoder.step(state, vector, t, cells)
        return state, weights, self.readout(readout)

    def forced_weights(
        self,
        target: Tensor,
        size: Tensor,
        initial_state: States,
        rows: Tensor,
        mask: Tensor | None = None,
    ) -> Tensor:
        """α_t under teacher forcing, from what `encode` returns; no dropout.

        Returns:
            [batch, n, r], 0 for t ≥ n_b.
        """
        state = self.decoder.start(initial_state, rows, size, mask)
        weights = self.decoder.run(
            self.target_embedding(shift_right(target)), state
        ).weights
        steps = ops.arange(ops.shape(target)[1], dtype="int32")
        inside = steps[None, :] < ops.cast(size, "int32")[:, None]
        return weights * ops.cast(inside, weights.dtype)[:, :, None]
