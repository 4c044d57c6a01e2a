"""What the recurrent models share."""

from collections.abc import Mapping
from typing import Any

import keras
from keras import ops

from neural_gpu_tf.constants import GO
from neural_gpu_tf.layers.recurrent_cells import fresh
from neural_gpu_tf.layers.recurrent_decoder import RecurrentDecoder, RecurrentState
from neural_gpu_tf.layers.recurrent_encoder import RecurrentEncoder, States
from neural_gpu_tf.layers.source_mask import SourceMask
from neural_gpu_tf.models.go import after_go
from neural_gpu_tf.types import Tensor


class RecurrentModel(keras.Model):
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
        own: the options that only a subclass has; its `own_layers` gets them.

    Inputs, a dict: source [batch, n] symbols; target [batch, n] symbols (the logits at
    t see target[:, :t] only); size [batch], n_b ≤ n. PAD in the source is no symbol,
    wherever it stands.
    Output: logits [batch, n, vocabulary_size], 0 for t ≥ n_b.
    """

    attention_score: str | None = None

    sized = False
    """Its output depends on no canvas."""

    def __init__(
        self,
        vocabulary_size: int,
        units: int = 1024,
        embedding_size: int = 512,
        layers: int = 2,
        cell: str = "gru",
        bidirectional: bool = False,
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        embedding_initializer: Any = "uniform",
        dropout: float = 0.0,
        seed: int | None = None,
        own: Mapping[str, Any] | None = None,
        **kwargs: Any,
    ):
        # Layers
        own = dict(own or {})
        stack = dict(
            units=units,
            layers=layers,
            cell=cell,
            kernel_initializer=kernel_initializer,
            recurrent_initializer=recurrent_initializer,
            dropout=dropout,
        )

        def embedding(name: str) -> keras.layers.Embedding:
            return keras.layers.Embedding(
                vocabulary_size,
                embedding_size,
                embeddings_initializer=fresh(embedding_initializer),
                name=name,
            )

        parts = {
            "source_mask": SourceMask(name="source_mask"),
            "source_embedding": embedding("source_embedding"),
            "target_embedding": embedding("target_embedding"),
            "encoder": RecurrentEncoder(
                **stack, bidirectional=bidirectional, seed=seed, name="encoder"
            ),
            **self.own_layers(own, kernel_initializer),
            "decoder": RecurrentDecoder(
                **stack,
                readout_size=embedding_size,
                attention_score=own.get("attention_score", self.attention_score),
                # not the encoder's, or both would drop alike
                seed=None if seed is None else seed + 1,
                name="decoder",
            ),
            "readout": keras.layers.Dense(
                vocabulary_size,
                use_bias=False,
                kernel_initializer=fresh(kernel_initializer),
                name="readout",
            ),
        }

        # Graph
        source = keras.Input([None], dtype="int32", name="source")
        target = keras.Input([None], dtype="int32", name="target")
        size = keras.Input([], dtype="int32", name="size")
        first, rows, exists = self.encode(parts, source, size)
        vectors = parts["target_embedding"](after_go(target))
        readouts = parts["decoder"](vectors, first, rows, size, exists)
        super().__init__(
            inputs={"source": source, "target": target, "size": size},
            outputs=parts["readout"](readouts),
            **kwargs,
        )

        # Config
        for name, layer in parts.items():
            setattr(self, name, layer)
        self._parts = tuple(parts)
        serialize = keras.initializers.serialize
        get = keras.initializers.get
        self._config = {
            "vocabulary_size": vocabulary_size,
            "units": units,
            "embedding_size": embedding_size,
            "layers": layers,
            "cell": cell,
            "bidirectional": bidirectional,
            "kernel_initializer": serialize(get(kernel_initializer)),
            "recurrent_initializer": serialize(get(recurrent_initializer)),
            "embedding_initializer": serialize(get(embedding_initializer)),
            "dropout": dropout,
            "seed": seed,
            **own,
        }

    @staticmethod
    def own_layers(
        own: Mapping[str, Any], kernel_initializer: Any
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
        exists = parts["source_mask"](source, size)
        rows, first = parts["encoder"](parts["source_embedding"](source), exists)
        return first, rows, exists

    def start(self, source: Tensor, size: Tensor) -> Any:
        """Encodes: source [batch, n] symbols, size [batch] → the decoder's state."""
        first, rows, exists = self.encode(self.parts(), source, size)
        return self.decoder.start(first, rows, size, exists)

    def step(self, state: Any, previous: Tensor, t: Tensor | int) -> tuple[Any, Tensor]:
        """One symbol: previous [batch] (o_{t-1}; not used at t = 0) → logits."""
        state, _, logits = self.advance(state, previous, t)
        return state, logits

    def advance(
        self, state: RecurrentState, previous: Tensor, t: Tensor | int
    ) -> tuple[RecurrentState, Tensor | None, Tensor]:
        """`step` that also tells what was looked at.

        Returns:
            The new state, the weights α_t [batch, r] (None without attention), and
            the logits [batch, v].
        """
        before = ops.where(ops.cast(t, "int32") > 0, ops.cast(previous, "int32"), GO)
        vector = self.target_embedding(before)
        state, readout, weights = self.decoder.step(state, vector, t)
        return state, weights, self.readout(readout)

    def forced_weights(
        self,
        target: Tensor,
        size: Tensor,
        first: States,
        rows: Tensor,
        exists: Tensor | None = None,
    ) -> Tensor:
        """α_t under teacher forcing, from what `encode` returns; no dropout.

        Returns:
            [batch, n, r], 0 for t ≥ n_b.
        """
        state = self.decoder.start(first, rows, size, exists)
        weights = self.decoder.run(
            self.target_embedding(after_go(target)), state
        ).weights
        steps = ops.arange(ops.shape(target)[1], dtype="int32")
        inside = steps[None, :] < ops.cast(size, "int32")[:, None]
        return weights * ops.cast(inside, weights.dtype)[:, :, None]

    def parts(self) -> dict[str, keras.layers.Layer]:
        """The layers, by attribute name."""
        return {name: getattr(self, name) for name in self._parts}

    def get_config(self) -> dict:
        return {"name": self.name, **self._config}

    @classmethod
    def from_config(cls, config: dict, custom_objects: Any = None) -> keras.Model:
        return cls(**config)
