"""Active memory without attention for text: broadcast input, maximum as output."""

from typing import Any, NamedTuple

import keras
from keras import ops

from neural_gpu_tf.configuration import plain, whole_number
from neural_gpu_tf.layers import (
    CGRU,
    FirstRow,
    PooledDecoder,
    PooledState,
    ReplicaDropout,
    SourceMask,
    UnsharedEncoder,
    WithinSize,
)
from neural_gpu_tf.layers.dropout_limit import check_dropout
from neural_gpu_tf.layers.initializers import default, fresh, of_part
from neural_gpu_tf.models.sequence_model import (
    SequenceModel,
    embedding,
    serialized,
    symbol_inputs,
)
from neural_gpu_tf.models.shift_right import shift_right, symbol_before
from neural_gpu_tf.types import Tensor

EMBEDDINGS = default(keras.initializers.RandomUniform, -0.1, 0.1)
"""Start of the embeddings."""


class ModelState(NamedTuple):
    """What is carried from step to step; every tensor leads with the batch."""

    size: Tensor  # [batch]: n_b
    decoder: PooledState


@keras.saving.register_keras_serializable("neural_gpu_tf")
class PooledNeuralGPU(SequenceModel):
    """Active memory with broadcast decoder input and max-pooled output, no attention.

        s_0[k] = P E i_k                                (width 1)
        s_l    = the encoder's canvas after l steps     (`UnsharedEncoder`)
        r_t    = decoder step t from s_l, E' o_{t-1}    (`PooledDecoder`)
        l_t    = O tanh(A [r_t; E' o_{t-1}] + a) + o,   o_{-1} = GO

    The canvas has exactly the source's columns, so no output size has to be known in
    advance: decoding ends with EOS. In training, dropout is applied to E i, s_l, E' o
    and the inputs of A and O.

    (A model of this library, after Kaiser & Bengio 2016, "Can Active Memory Replace
    Attention?"; docs/notes/active_memory_on_text.md describes its development.)

    Args:
        vocabulary_size: number of symbols, of source and target.
        maps: m.
        embedding_size: e, of E, E' and of what O multiplies.
        layers: l, the encoder's steps, each with weights of its own.
        kernel_size: columns that a convolution covers.
        cutoff: c of the gates, see `CGRU`; 1: plain sigmoids.
        gate_bias: start of the gates' biases.
        kernel_initializer: of all matrices and kernels.
        embedding_initializer: of the embeddings.
        dropout: the rate in training.
        seed: of the dropout.
        dtype: policy of all layers.

    Inputs, a dict: source [batch, n] symbols; target [batch, n] symbols (the logits at
    t see target[:, :t] only); size [batch], n_b ≤ n. A source's PAD is a column that
    does not exist.
    Output: logits [batch, n, vocabulary_size], 0 for t ≥ n_b.

    Example:
        >>> model = PooledNeuralGPU(vocabulary_size=32, maps=24, layers=2)
        >>> symbols = keras.ops.ones((2, 5), "int32")
        >>> size = keras.ops.array([5, 3])
        >>> model({"source": symbols, "target": symbols, "size": size}).shape
        (2, 5, 32)
    """

    sized = False
    aligns = True

    def __init__(
        self,
        vocabulary_size: int,
        maps: int = 512,
        embedding_size: int = 512,
        layers: int = 2,
        kernel_size: int = 3,
        cutoff: float = 1.2,
        gate_bias: float | tuple[float, float] = 1.0,
        kernel_initializer: Any = "glorot_uniform",
        embedding_initializer: Any = EMBEDDINGS,
        dropout: float = 0.0,
        seed: int | None = None,
        dtype: Any = None,
        **kwargs: Any,
    ):
        layers = whole_number("layers", layers, 1)
        check_dropout(dropout)
        config = dict(
            vocabulary_size=vocabulary_size,
            maps=maps,
            embedding_size=embedding_size,
            layers=layers,
            kernel_size=kernel_size,
            cutoff=cutoff,
            gate_bias=gate_bias,
            kernel_initializer=serialized(kernel_initializer),
            embedding_initializer=serialized(embedding_initializer),
            dropout=dropout,
            seed=seed,
        )
        config = {name: plain(value) for name, value in config.items()}
        parts = _parts(config, dtype)
        inputs = symbol_inputs()
        source, target, size = inputs["source"], inputs["target"], inputs["size"]
        mask = parts["source_mask"](source, size)
        memory = _encode(parts, source, mask)
        vectors = parts["target_embedding"](shift_right(target))
        vectors = parts["target_dropout"](vectors)
        readouts = parts["decoder"](memory, vectors, mask)
        logits = parts["inside"](_logits(parts, readouts, vectors), size)
        super().__init__(inputs=inputs, outputs=logits, **kwargs)
        self.keep_parts(parts)
        self.keep_config(dtype, **config)

    def start(self, source: Tensor, size: Tensor) -> ModelState:
        """Encodes: source [batch, n] symbols, size [batch] → the first state."""
        mask = self.source_mask(source, size)
        memory = _encode(self.parts(), source, mask)
        return ModelState(size, self.decoder.start(memory, mask))

    def step(
        self, state: ModelState, previous: Tensor, t: Tensor | int
    ) -> tuple[ModelState, Tensor]:
        """One symbol: previous [batch] (o_{t-1}; not used at t = 0) → logits."""
        vector = self.target_embedding(symbol_before(previous, t))
        decoder = self.decoder.step(state.decoder, vector)
        logits = _logits(self.parts(), decoder.readout, vector)
        inside = ops.cast(t, "int32") < ops.cast(state.size, "int32")
        logits = logits * ops.cast(inside, logits.dtype)[:, None]
        return state._replace(decoder=decoder), logits

    def alignments(self, source: Tensor, target: Tensor, size: Tensor) -> Tensor:
        """Which source symbols a target was read from; see `ModelContract`.

        A weight is the share of the maps whose maximum came from that column.
        """
        mask = self.source_mask(source, size)
        vectors = self.target_embedding(shift_right(target))
        memory = _encode(self.parts(), source, mask)
        winners = self.decoder.run(memory, vectors, mask).winners
        columns = ops.shape(source)[1]
        shares = ops.mean(ops.one_hot(winners, columns, dtype="float32"), axis=2)
        exists = ops.cast(ops.any(mask, axis=1), shares.dtype)
        return self.inside(shares * exists[:, None, None], size)


def _encode(parts: dict[str, Any], source: Tensor, mask: Tensor) -> Tensor:
    """s_l, [batch, n, 1, m]."""
    vectors = parts["source_dropout"](parts["source_embedding"](source))
    canvas = parts["canvas"](parts["projection"](vectors))
    return parts["memory_dropout"](parts["encoder"](canvas, mask))


def _logits(parts: dict[str, Any], readouts: Tensor, vectors: Tensor) -> Tensor:
    """O tanh(A [r; E' o] + a) + o, of one step or of all."""
    seen = parts["hidden_dropout"](ops.concatenate([readouts, vectors], axis=-1))
    return parts["readout"](parts["readout_dropout"](parts["hidden"](seen)))


def _parts(config: dict[str, Any], dtype: Any) -> dict[str, keras.layers.Layer]:
    """The layers by attribute name, from the model's configuration."""
    size, maps, seed = config["embedding_size"], config["maps"], config["seed"]
    vocabulary_size = config["vocabulary_size"]

    def unit(name: str) -> CGRU:
        return CGRU(
            maps,
            (config["kernel_size"], 1),
            kernel_initializer=of_part(config["kernel_initializer"], name),
            cutoff=config["cutoff"],
            gate_bias=config["gate_bias"],
            dtype=dtype,
            name=name,
        )

    def symbols(name: str) -> keras.layers.Embedding:
        initializer = config["embedding_initializer"]
        return embedding(vocabulary_size, size, initializer, dtype=dtype, name=name)

    def dense(units: int, name: str, activation: str | None = None) -> Any:
        initializer = fresh(config["kernel_initializer"], name)
        return keras.layers.Dense(
            units, activation, kernel_initializer=initializer, dtype=dtype, name=name
        )

    def drop(name: str, number: int) -> ReplicaDropout:
        # another seed each, or all would drop alike
        own = None if seed is None else seed + number
        return ReplicaDropout(config["dropout"], own, dtype=dtype, name=name)

    units = [unit(f"unit_{i + 1}") for i in range(config["layers"])]
    kernel_initializer = fresh(config["kernel_initializer"], "decoder")
    return {
        "source_mask": SourceMask(dtype=dtype, name="source_mask"),
        "source_embedding": symbols("source_embedding"),
        "source_dropout": drop("source_dropout", 0),
        "projection": dense(maps, "projection"),  # P
        "canvas": FirstRow(1, dtype=dtype, name="canvas"),
        "encoder": UnsharedEncoder(units, dtype=dtype, name="encoder"),
        "memory_dropout": drop("memory_dropout", 1),
        "target_embedding": symbols("target_embedding"),
        "target_dropout": drop("target_dropout", 2),
        "decoder": PooledDecoder(
            unit("unit"), kernel_initializer, dtype=dtype, name="decoder"
        ),
        "hidden_dropout": drop("hidden_dropout", 3),
        "hidden": dense(size, "hidden", "tanh"),  # A and a
        "readout_dropout": drop("readout_dropout", 4),
        "readout": dense(vocabulary_size, "readout"),  # O and o
        "inside": WithinSize(dtype=dtype, name="inside"),
    }
