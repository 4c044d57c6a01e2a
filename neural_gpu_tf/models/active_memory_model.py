"""Base of the models with a canvas."""

import functools
from collections.abc import Callable, Mapping
from typing import Any

import keras

from neural_gpu_tf.configuration import plain, whole_number
from neural_gpu_tf.layers import (
    ActiveMemoryDecoder,
    ActiveMemoryEncoder,
    FirstRow,
    SourcePadding,
)
from neural_gpu_tf.layers.canvas_unit import CanvasUnit
from neural_gpu_tf.layers.initializers import default, of_part
from neural_gpu_tf.models.sequence_model import (
    SequenceModel,
    embedding,
    symbol_inputs,
)
from neural_gpu_tf.types import Tensor

EMBEDDINGS = default(keras.initializers.RandomUniform, -1.0, 1.0)
"""Start of the embeddings."""

_OF_LOOPS = ("dropout", "dropout_by_length", "gradient_checkpointing")


class ActiveMemoryModel(SequenceModel):
    """A functional model: symbols → canvas → encoder → (subclass) → logits.

        s_0[k, 0] = E i_k, all other cells 0; E PAD = 0
        s_n       = the encoder's canvas after n steps   (`ActiveMemoryEncoder`)

    A subclass names its own layers in `own_layers` and connects them in `logits`.

    A subclass also names its `unit`, the `tape_unit` of a decoder, and the start of
    their kernels.

    Args:
        vocabulary_size: number of symbols, of source and target.
        maps: m.
        width: w.
        layers: l, the units of a step.
        kernel_size: along the columns; along the width the same, but at most 2w - 1,
            beyond which a kernel reaches no other row.
        kernel_initializer: of the convolutions; None: `kernels`.
        embedding_initializer: of the embeddings.
        dropout: rate at which canvas cells are dropped before each step in training.
        dropout_by_length: the rate is dropout / √n, see `ActiveMemoryEncoder`.
        gradient_checkpointing: less memory in training, see `ActiveMemoryEncoder`.
        relaxations: r, sets of weights that the encoder's steps take in turn; a
            decoder has one.
        padding: "zero": E PAD = 0 as published (`SourcePadding`); "learned": a trained
            vector like any other.
        seed: of the dropout.
        dtype: policy of all layers.
        own: the options that only a subclass has; its units get them.

    Inputs and output: as `SequenceModel`.
    """

    unit: type[CanvasUnit]
    tape_unit: type[CanvasUnit] | None = None
    encoder_class: type[ActiveMemoryEncoder] = ActiveMemoryEncoder
    decoder_class: type[ActiveMemoryDecoder] = ActiveMemoryDecoder

    kernels = default(keras.initializers.Orthogonal, 1.4)
    """Start of the kernels: with Glorot's nothing was learned in 300 steps."""

    def __init__(
        self,
        vocabulary_size: int,
        maps: int = 512,
        width: int = 4,
        layers: int = 2,
        kernel_size: int = 3,
        kernel_initializer: Any = None,
        embedding_initializer: Any = EMBEDDINGS,
        dropout: float = 0.0,
        dropout_by_length: bool = False,
        gradient_checkpointing: bool = False,
        relaxations: int = 1,
        padding: str = "zero",
        seed: int | None = None,
        dtype: Any = None,
        own: Mapping[str, Any] | None = None,
        **kwargs: Any,
    ):
        # Layers
        width = whole_number("width", width, 1)
        layers = whole_number("layers", layers, 1)
        relaxations = whole_number("relaxations", relaxations, 1)
        maps = whole_number("maps", maps, 1)
        kernel_size = whole_number("kernel_size", kernel_size, 1)
        own = {name: plain(value) for name, value in (own or {}).items()}
        options = dict(
            vocabulary_size=vocabulary_size,
            maps=maps,
            width=width,
            layers=layers,
            kernel_size=kernel_size,
            kernel_initializer=kernel_initializer or self.kernels,
            embedding_initializer=embedding_initializer,
            dropout=dropout,
            dropout_by_length=dropout_by_length,
            gradient_checkpointing=gradient_checkpointing,
            relaxations=relaxations,
            padding=padding,
            seed=seed,
        )
        options = {name: plain(value) for name, value in options.items()}
        parts = self.make_layers(options, own, dtype)

        # Graph
        inputs = symbol_inputs()
        size = inputs["size"]
        encoded = parts["encoder"](_first_canvas(parts, inputs["source"]), size)
        outputs = self.logits(parts, encoded, inputs["target"], size)
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
        width, seed = options["width"], options["seed"]
        of_loops = {name: options[name] for name in _OF_LOOPS} | {"dtype": dtype}
        units = functools.partial(_units, options, own, dtype)

        def symbols(name: str) -> keras.layers.Embedding:
            return embedding(
                options["vocabulary_size"],
                options["maps"],
                options["embedding_initializer"],
                dtype=dtype,
                name=name,
            )

        def decoder() -> keras.layers.Layer:
            # not the encoder's seed, or both would drop the same cells
            other = None if seed is None else seed + 1
            assert self.tape_unit is not None
            return self.decoder_class(
                units(self.tape_unit, "decoder"),
                **of_loops,
                seed=other,
                name="decoder",
            )

        return {
            "source_embedding": symbols("source_embedding"),
            "padding": SourcePadding(options["padding"], dtype=dtype, name="padding"),
            "canvas": FirstRow(width, dtype=dtype, name="canvas"),
            "encoder": self.encoder_class(
                units(self.unit, "encoder"),
                **of_loops,
                relaxations=options["relaxations"],
                seed=seed,
                name="encoder",
            ),
            **self.own_layers(symbols, decoder, dtype),
            "readout": keras.layers.Dense(
                options["vocabulary_size"], use_bias=False, dtype=dtype, name="readout"
            ),
        }

    @staticmethod
    def own_layers(
        symbols: Callable[[str], Any], decoder: Callable[[], Any], dtype: Any
    ) -> dict[str, Any]:
        """The layers between encoder and readout, by attribute name.

        Args:
            symbols: makes an embedding of a name.
            decoder: makes the decoder of tape units.
            dtype: policy of all layers.
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
        start = _first_canvas(self.parts(), source)
        return self.encoder.encode(start, size, trace)


def _first_canvas(parts: Mapping[str, Any], source: Tensor) -> Tensor:
    """s_0: source [batch, n] symbols → [batch, n, w, m]."""
    vectors = parts["source_embedding"](source)
    return parts["canvas"](parts["padding"](vectors, source))


def _units(
    options: Mapping[str, Any],
    own: Mapping[str, Any],
    dtype: Any,
    make: Callable[..., Any],
    owner: str,
) -> list[Any]:
    """The l units of a step of the owner, "encoder" or "decoder"."""
    kernel_size = options["kernel_size"]
    return [
        make(
            maps=options["maps"],
            kernel_size=(kernel_size, min(kernel_size, 2 * options["width"] - 1)),
            kernel_initializer=of_part(
                options["kernel_initializer"], f"{owner}/{name}"
            ),
            dtype=dtype,
            name=name,
            **own,
        )
        for name in (f"unit_{i + 1}" for i in range(options["layers"]))
    ]
