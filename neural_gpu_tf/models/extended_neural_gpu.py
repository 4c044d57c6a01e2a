"""The Extended Neural GPU."""

from typing import Any

import keras

from neural_gpu_tf.layers import ActiveMemoryDecoder, ActiveMemoryEncoder, DecoderState
from neural_gpu_tf.layers.first_row import FirstRow

Tensor = Any


@keras.saving.register_keras_serializable("neural_gpu_tf")
class ExtendedNeuralGPU(keras.Model):
    """Active memory that decodes symbol by symbol.

        s_0[k, 0] = E i_k, all other cells 0
        s_n       = the encoder's canvas after n steps   (`ActiveMemoryEncoder`)
        d_0 = s_n, p_0 = 0, d_{t+1} = CGRU^d(d_t, p_t)    (`ActiveMemoryDecoder`)
        l_t       = O d_{t+1}[t, 0]
        p_{t+1}   = p_t with p_{t+1}[t, 0] = E' o_t

    (Kaiser & Bengio 2016, "Can Active Memory Replace Attention?", §2.2.)

    Args:
        vocabulary_size: number of symbols, of source and target.
        maps: m.
        width: w.
        layers: l, the CGRUs of a step.
        kernel_size: along the columns; along the width it is the same, or 1 if w = 1.
        cutoff: of the gates; 1.2 as published, 1 for plain sigmoids.
        gate_bias: start of the gates' biases.
        kernel_initializer: of the convolutions.
        dropout: rate at which canvas cells are dropped before each step in training.
        seed: of dropout and initializers.

    Inputs, a dict: source [batch, n] symbols; target [batch, n] symbols (teacher
    forcing: the logits at t see target[:, :t] only); size [batch], n_b ≤ n.
    Output: logits [batch, n, vocabulary_size].
    """

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
        seed: int | None = None,
        **kwargs: Any,
    ):
        # Layers
        shared = dict(
            maps=maps,
            layers=layers,
            kernel_size=(kernel_size, min(kernel_size, 2 * width - 1)),
            cutoff=cutoff,
            gate_bias=gate_bias,
            kernel_initializer=kernel_initializer,
            dropout=dropout,
            seed=seed,
        )
        embedding_initializer = keras.initializers.get(embedding_initializer)
        source_embedding, target_embedding = (
            keras.layers.Embedding(
                vocabulary_size,
                maps,
                # A clone draws other numbers: E and E' start apart.
                embeddings_initializer=embedding_initializer.clone(),
                name=name,
            )
            for name in ("source_embedding", "target_embedding")
        )
        canvas_layer = FirstRow(width, name="canvas")
        encoder = ActiveMemoryEncoder(**shared, name="encoder")
        decoder = ActiveMemoryDecoder(**shared, name="decoder")
        output = keras.layers.Dense(vocabulary_size, use_bias=False, name="output")

        # Graph
        source = keras.Input([None], dtype="int32", name="source")
        target = keras.Input([None], dtype="int32", name="target")
        size = keras.Input([], dtype="int32", name="size")
        canvas = encoder(canvas_layer(source_embedding(source)), size)
        logits = output(decoder(canvas, target_embedding(target), size))
        super().__init__(
            inputs={"source": source, "target": target, "size": size},
            outputs=logits,
            **kwargs,
        )

        # Config
        self.vocabulary_size = vocabulary_size
        self.maps = maps
        self.width = width
        self.layers_per_step = layers
        self.kernel_size = kernel_size
        self.cutoff = cutoff
        self.gate_bias = gate_bias
        self.kernel_initializer = keras.initializers.get(kernel_initializer)
        self.embedding_initializer = embedding_initializer
        self.dropout = dropout
        self.seed = seed
        self.source_embedding = source_embedding
        self.target_embedding = target_embedding
        self.canvas = canvas_layer
        self.encoder = encoder
        self.decoder = decoder
        self.output_layer = output

    def start(self, source: Tensor, size: Tensor) -> DecoderState:
        """Encodes: source [batch, n] symbols, size [batch] → the decoder's state."""
        canvas = self.canvas(self.source_embedding(source))
        return self.decoder.start(self.encoder.encode(canvas, size), size)

    def step(
        self, state: DecoderState, previous: Tensor, t: Tensor | int
    ) -> tuple[DecoderState, Tensor]:
        """One symbol: previous [batch] (o_{t-1}; GO at t = 0) → logits [batch, v]."""
        vector = self.target_embedding(previous)
        state, readout = self.decoder.step(state, vector, t)
        return state, self.output_layer(readout)

    def get_config(self) -> dict:
        return {
            "name": self.name,
            "vocabulary_size": self.vocabulary_size,
            "maps": self.maps,
            "width": self.width,
            "layers": self.layers_per_step,
            "kernel_size": self.kernel_size,
            "cutoff": self.cutoff,
            "gate_bias": self.gate_bias,
            "kernel_initializer": keras.initializers.serialize(
                self.kernel_initializer
            ),
            "embedding_initializer": keras.initializers.serialize(
                self.embedding_initializer
            ),
            "dropout": self.dropout,
            "seed": self.seed,
        }

    @classmethod
    def from_config(cls, config: dict, custom_objects: Any = None) -> "ExtendedNeuralGPU":
        return cls(**config)
