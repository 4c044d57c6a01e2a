"""Which model, and its hyperparameters."""

import dataclasses
import inspect

import keras

from neural_gpu_tf.configuration import check_at_least, check_options, option
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.layers import CELLS, SCORES
from neural_gpu_tf.models.catalog import MODELS


@dataclasses.dataclass(frozen=True)
class ModelConfig:
    """The model options; each field's help text is its documentation.

    Raises:
        InputError: a value is not legal; the message names the flag.
    """

    model: str = option("extended_neural_gpu", "the model", choices=tuple(MODELS))
    maps: int = option(512, "m, maps of the canvas and of its embeddings")
    width: int = option(4, "w, width of the canvas")
    layers: int = option(2, "l, CGRUs in a step; recurrent layers")
    kernel_size: int = option(3, "columns that a convolution covers; an odd number")
    gate_cutoff: float = option(
        1.2,
        "c of a CGRU's gates max(0, min(1, c sigmoid(x) - (c - 1)/2)); 1: plain "
        "sigmoids",
    )
    gate_bias: float = option(1.0, "start of a CGRU's gates' biases")
    kernel_gain: float = option(
        1.4, "gain of the orthogonal matrices that kernels start as"
    )
    embedding_range: float = option(
        1.0, "embeddings start uniformly between minus and plus this"
    )
    dropout: float = option(
        0.0,
        "rate at which cells of the canvas are dropped before each step, or inputs of "
        "recurrent layers",
    )
    dropout_by_length: bool = option(
        False, "divide the dropout by the square root of the canvas size"
    )
    units: int = option(1024, "of a recurrent cell, and of attention to its outputs")
    embedding_size: int = option(512, "of a recurrent model's embeddings")
    cell: str = option("gru", "a recurrent model's cells", choices=CELLS)
    bidirectional: bool = option(
        False, "a recurrent encoder also reads the source backwards"
    )
    contexts: int = option(64, "K, rows of the fixed-size memory")
    position_encoding: bool = option(
        False, "tell the rows of the fixed-size memory apart by source positions"
    )
    attention_score: str = option(
        "additive", "how the fixed-size memory's rows are weighed", choices=SCORES
    )

    def __post_init__(self) -> None:
        check_options(self)
        for name in (
            "maps",
            "width",
            "layers",
            "kernel_size",
            "gate_cutoff",
            "units",
            "embedding_size",
            "contexts",
        ):
            check_at_least(name, getattr(self, name), 1)
        if self.kernel_size % 2 == 0:
            raise InputError(f"--kernel_size={self.kernel_size}: must be odd")
        if not 0 <= self.dropout < 1:
            raise InputError(f"--dropout={self.dropout}: must be in [0, 1)")

    @property
    def cell_bytes(self) -> int:
        """Bytes of one column of one float32 canvas, or of a recurrent model's memory.

        That is an annotation of the source and what attention makes of it.
        """
        if getattr(MODELS[self.model], "sized", True):
            return 4 * self.width * self.maps
        return 4 * 2 * self.units


def build_model(
    config: ModelConfig, vocabulary_size: int, seed: int | None = None
) -> keras.Model:
    """A new model; its weights follow from `keras.utils.set_random_seed`.

    Args:
        config: the model options.
        vocabulary_size: number of symbols.
        seed: of the dropout.
    """
    initializers = keras.initializers
    reach = config.embedding_range
    options = dict(
        maps=config.maps,
        width=config.width,
        layers=config.layers,
        kernel_size=config.kernel_size,
        cutoff=config.gate_cutoff,
        gate_bias=config.gate_bias,
        kernel_initializer=initializers.Orthogonal(config.kernel_gain),
        embedding_initializer=initializers.RandomUniform(-reach, reach),
        dropout=config.dropout,
        dropout_by_length=config.dropout_by_length,
        units=config.units,
        embedding_size=config.embedding_size,
        cell=config.cell,
        bidirectional=config.bidirectional,
        contexts=config.contexts,
        position_encoding=config.position_encoding,
        attention_score=config.attention_score,
        seed=seed,
    )
    cls = MODELS[config.model]
    taken = inspect.signature(cls).parameters  # not every model has gates to set
    return cls(
        vocabulary_size,
        **{name: value for name, value in options.items() if name in taken},
    )
