"""What the models with a canvas share."""

from collections.abc import Mapping
from typing import Any

import keras

from neural_gpu_tf.layers import ActiveMemoryEncoder, FirstRow
from neural_gpu_tf.types import Tensor


class ActiveMemoryModel(keras.Model):
    """A functional model: symbols → canvas → encoder → (subclass) → logits.

        s_0[k, 0] = E i_k, all other cells 0
        s_n       = the encoder's canvas after n steps   (`ActiveMemoryEncoder`)

    A subclass names its own layers in `own_layers` and connects them in `logits`.

    Args:
        vocabulary_size: number of symbols, of source and target.
        maps: m.
        width: w.
        layers: l, the CGRUs of a step.
        kernel_size: along the columns; along the width the same, or 1 if w = 1.
        cutoff: of the gates; 1.2 as published, 1 for plain sigmoids.
        gate_bias: start of the gates' biases.
        kernel_initializer: of the convolutions.
        embedding_initializer: of the embeddings.
        dropout: rate at which canvas cells are dropped before each step in training.
        dropout_by_length: the rate is dropout / √n (Kaiser & Sutskever 2016, §3).
        checkpointing: less memory in training, see `ActiveMemoryEncoder`.
        relaxations: r, sets of weights that the encoder's steps take in turn; a
            decoder has one.
        seed: of the dropout.

    Inputs, a dict: source [batch, n] symbols; target [batch, n] symbols (if the model
    decodes; the logits at t see target[:, :t] only); size [batch], n_b ≤ n.
    Output: logits [batch, n, vocabulary_size].
    """

    encoder_class = ActiveMemoryEncoder

    def __init__(
        self,
        vocabulary_size: int,
        maps: int = 512,
        width: int = 4,
        layers: int = 2,
        kernel_size: int = 3,
        cutoff: float = 1.2,
        gate_bias: float = 1.0,
        kernel_initializer: Any = "glorot_uniform",
        embedding_initializer: Any = "uniform",
        dropout: float = 0.0,
        dropout_by_length: bool = False,
        checkpointing: bool = False,
        relaxations: int = 1,
        seed: int | None = None,
        **kwargs: Any,
    ):
        # Layers
        units = dict(
            maps=maps,
            layers=layers,
            kernel_size=(kernel_size, min(kernel_size, 2 * width - 1)),
            kernel_initializer=kernel_initializer,
            dropout=dropout,
            dropout_by_length=dropout_by_length,
            checkpointing=checkpointing,
            seed=seed,
        )
        own = dict(cutoff=cutoff, gate_bias=gate_bias)
        units |= {name: own[name] for name in self.encoder_class.unit_options}
        initializer = keras.initializers.get(embedding_initializer)

        def embedding(name: str) -> keras.layers.Embedding:
            # A clone draws other numbers: E and E' start apart.
            return keras.layers.Embedding(
                vocabulary_size,
                maps,
                embeddings_initializer=initializer.clone(),
                name=name,
            )

        parts = {
            "source_embedding": embedding("source_embedding"),
            "canvas": FirstRow(width, name="canvas"),
            "encoder": self.encoder_class(
                **units, relaxations=relaxations, name="encoder"
            ),
            **self.own_layers(embedding, units),
            "readout": keras.layers.Dense(
                vocabulary_size, use_bias=False, name="readout"
            ),
        }

        # Graph
        source = keras.Input([None], dtype="int32", name="source")
        target = keras.Input([None], dtype="int32", name="target")
        size = keras.Input([], dtype="int32", name="size")
        encoded = parts["canvas"](parts["source_embedding"](source))
        encoded = parts["encoder"](encoded, size)
        super().__init__(
            inputs={"source": source, "target": target, "size": size},
            outputs=self.logits(parts, encoded, target, size),
            **kwargs,
        )

        # Config
        for name, layer in parts.items():
            setattr(self, name, layer)
        self._config = {
            "vocabulary_size": vocabulary_size,
            "maps": maps,
            "width": width,
            "layers": layers,
            "kernel_size": kernel_size,
            "cutoff": cutoff,
            "gate_bias": gate_bias,
            "kernel_initializer": keras.initializers.serialize(
                keras.initializers.get(kernel_initializer)
            ),
            "embedding_initializer": keras.initializers.serialize(initializer),
            "dropout": dropout,
            "dropout_by_length": dropout_by_length,
            "checkpointing": checkpointing,
            "relaxations": relaxations,
            "seed": seed,
        }

    @classmethod
    def own_layers(cls, embedding: Any, units: Mapping[str, Any]) -> dict[str, Any]:
        """The layers between encoder and readout, by attribute name.

        Args:
            embedding: makes an embedding with a name.
            units: the keyword arguments that an encoder or decoder takes.
        """
        raise NotImplementedError

    @staticmethod
    def logits(
        parts: Mapping[str, Any], encoded: Tensor, target: Tensor, size: Tensor
    ) -> Tensor:
        """Connects the encoder's canvas [batch, n, w, m] to logits [batch, n, v]."""
        raise NotImplementedError

    def encode(self, source: Tensor, size: Tensor, trace: bool = False) -> Tensor:
        """s_n for inference: source [batch, n] symbols → [batch, n, w, m].

        With `trace` it returns s_0 … s_n instead, [n + 1, batch, n, w, m].
        """
        start = self.canvas(self.source_embedding(source))
        return self.encoder.encode(start, size, trace)

    def get_config(self) -> dict:
        return {"name": self.name, **self._config}

    @classmethod
    def from_config(cls, config: dict, custom_objects: Any = None) -> keras.Model:
        return cls(**config)
