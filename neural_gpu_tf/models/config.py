"""Which model, and its hyperparameters."""

import dataclasses
import inspect
from collections.abc import Collection, Mapping
from typing import Any

import keras

from neural_gpu_tf.configuration import check_at_least, check_options, option
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.layers import CELLS, CONTROLLERS, LOOKUPS, MEMORY_STARTS, SCORINGS
from neural_gpu_tf.models.catalog import MODELS


@dataclasses.dataclass(frozen=True)
class ModelConfig:
    """The model options; each field's help text is its documentation.

    Raises:
        InputError: a value is not legal; the message names the option.
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
        0.0,
        "gain of the orthogonal matrices that kernels start as; 0: the model's own, "
        "1.4 with a canvas (0.05 of a residual_neural_gpu), else 1",
    )
    embedding_range: float = option(
        0.0,
        "embeddings start uniformly between minus and plus this; 0: the model's own, "
        "1 with a canvas, else 0.1",
    )
    dropout: float = option(
        0.0,
        "rate at which cells of the canvas are dropped before each step, or inputs of "
        "recurrent layers",
    )
    dropout_by_length: bool = option(
        False, "divide the dropout by the square root of the canvas size"
    )
    checkpointing: bool = option(
        False,
        "keep the canvas of about every sqrt(n)-th step only and compute the others "
        "again for the gradient: memory grows with n^1.5 in place of n^2",
    )
    relaxations: int = option(
        1,
        "r, sets of weights that the steps of a canvas's encoder take in turn, until "
        "--relaxation_pull has made them one",
    )
    units: int = option(
        0,
        "of a recurrent cell, and of attention to its outputs; 0: the model's own, "
        "1,024 of an encoder-decoder, 100 of a neural_turing_machine or stack_rnn",
    )
    embedding_size: int = option(
        0,
        "of a recurrent model's embeddings; 0: the model's own, 512 of an "
        "encoder-decoder, 32 of a neural_turing_machine or stack_rnn",
    )
    cell: str = option("gru", "a recurrent model's cells", choices=CELLS)
    bidirectional: bool = option(
        False, "a recurrent encoder also reads the source backwards"
    )
    contexts: int = option(64, "K, rows of the fixed-size memory")
    position_encoding: bool = option(
        False, "tell the rows of the fixed-size memory apart by source positions"
    )
    attention_score: str = option(
        "state",
        "what weighs the fixed-size memory's rows: the decoder's state alone, or how "
        "well each matches it",
        choices=LOOKUPS,
    )
    encoder_scoring: str = option(
        "softmax", "how a source position is shared among those rows", choices=SCORINGS
    )
    decoder_scoring: str = option(
        "softmax", "how --attention_score=state weighs those rows", choices=SCORINGS
    )
    memory_rows: int = option(128, "N, rows of a neural_turing_machine's memory")
    memory_width: int = option(
        20, "M, numbers in a row of a neural_turing_machine's memory"
    )
    controller: str = option(
        "lstm",
        "what uses a neural_turing_machine's memory, of --units units",
        choices=CONTROLLERS,
    )
    read_heads: int = option(1, "heads that read a neural_turing_machine's memory")
    write_heads: int = option(1, "heads that write to a neural_turing_machine's memory")
    shift_range: int = option(
        1, "rows that a neural_turing_machine's head moves in a step, at most"
    )
    memory_start: str = option(
        "learned",
        "what a neural_turing_machine's memory and heads start from",
        choices=MEMORY_STARTS,
    )
    stacks: int = option(10, "stacks of a stack_rnn")
    stack_depth: int = option(
        0, "numbers that a stack of a stack_rnn holds; 0: as many as can ever be pushed"
    )
    stack_tops: int = option(
        2, "k, topmost numbers that a stack_rnn sees of each stack"
    )

    def __post_init__(self) -> None:
        check_options(self)
        for name in (
            "maps",
            "width",
            "layers",
            "kernel_size",
            "gate_cutoff",
            "relaxations",
            "contexts",
            "memory_rows",
            "memory_width",
            "read_heads",
            "write_heads",
            "shift_range",
            "stacks",
            "stack_tops",
        ):
            check_at_least(name, getattr(self, name), 1)
        for name in _OWN:
            check_at_least(name, getattr(self, name), 0)
        if self.relaxations > 1 and "relaxations" not in _parameters(self.model):
            raise InputError(
                f"relaxations={self.relaxations}: model={self.model} has no canvas "
                "whose steps could take turns; leave it at 1"
            )
        if 2 * self.shift_range >= self.memory_rows:
            raise InputError(
                f"shift_range={self.shift_range}: with memory_rows="
                f"{self.memory_rows} more shifts than rows; lower it"
            )
        if self.stack_depth and self.stack_depth < self.stack_tops:
            raise InputError(
                f"stack_depth={self.stack_depth}: must be 0, or at least "
                f"stack_tops={self.stack_tops}"
            )
        if self.kernel_size % 2 == 0:
            raise InputError(f"kernel_size={self.kernel_size}: must be odd")
        if not 0 <= self.dropout < 1:
            raise InputError(f"dropout={self.dropout}: must be in [0, 1)")

    @property
    def cell_bytes(self) -> int:
        """Bytes of one column of one float32 canvas, or of a recurrent model's memory.

        That is an annotation of the source and what attention makes of it.
        """
        if MODELS[self.model].sized:
            return 4 * self.width * self.maps
        return 4 * 2 * taken_options(self)["units"]


_PARAMETERS = {
    "gate_cutoff": "cutoff",
    "kernel_gain": "kernel_initializer",
    "embedding_range": "embedding_initializer",
}
"""Parameters of the models, where they have other names than the options."""

_OWN = ("units", "embedding_size", "kernel_gain", "embedding_range")
"""Options of which 0 stands for the model's own."""


def check_taken(model: str, options: Collection[str]) -> None:
    """Raises InputError if the model does not take one of these `ModelConfig` options.

    Args:
        model: the name.
        options: names of options that were asked for.
    """
    for name in options:
        parameter = _PARAMETERS.get(name, name)
        if name != "model" and parameter not in _parameters(model):
            able = [other for other in MODELS if parameter in _parameters(other)]
            raise InputError(
                f"{name}=…: model={model} does not take it, but {', '.join(able)}; "
                "leave it out"
            )


def taken_options(config: ModelConfig) -> dict[str, Any]:
    """The options that the model takes, by name; the model's own where 0 stands for it.

    Of `kernel_gain` and `embedding_range` the model's own is an initializer.
    """
    parameters, taken = _parameters(config.model), {}
    for field in dataclasses.fields(config):
        parameter = parameters.get(_PARAMETERS.get(field.name, field.name))
        if parameter is not None:
            value = getattr(config, field.name)
            own = field.name in _OWN and not value
            taken[field.name] = parameter.default if own else value
    return taken


def _parameters(model: str) -> Mapping[str, inspect.Parameter]:
    """What a model takes: not every one has gates to set."""
    # In Python 3.11.2 the class's own signature is that of Keras's `__new__`.
    return inspect.signature(MODELS[model].__init__).parameters


def build_model(
    config: ModelConfig,
    vocabulary_size: int,
    seed: int | None = None,
    dtype: str | None = None,
) -> keras.Model:
    """A new model; its weights follow from `keras.utils.set_random_seed`.

    Args:
        config: the model options.
        vocabulary_size: number of symbols.
        seed: of the dropout.
        dtype: policy of all layers.
    """
    gain, reach = config.kernel_gain, config.embedding_range
    options = taken_options(config)
    if gain:
        options["kernel_gain"] = keras.initializers.Orthogonal(gain)
    if reach:
        options["embedding_range"] = keras.initializers.RandomUniform(-reach, reach)
    arguments = {_PARAMETERS.get(name, name): x for name, x in options.items()}
    return MODELS[config.model](vocabulary_size, **arguments, seed=seed, dtype=dtype)
