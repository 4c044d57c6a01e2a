"""Which model, and its hyperparameters: a dataclass a family of models."""

import dataclasses
import math
from typing import ClassVar

from neural_gpu_tf.configuration import check_at_least, check_options, option
from neural_gpu_tf.constants import (
    CELLS,
    CONTROLLERS,
    LOOKUPS,
    MEMORY_STARTS,
    PADDINGS,
    SCORINGS,
)
from neural_gpu_tf.errors import InputError

GATED = (
    "extended_neural_gpu",
    "hybrid_neural_gpu",
    "markovian_neural_gpu",
    "neural_gpu",
)
SIZED = (*GATED, "diagonal_neural_gpu", "residual_neural_gpu")
ENCODER_DECODERS = (
    "attention_seq2seq",
    "fixed_memory_seq2seq",
    "hybrid_seq2seq",
    "rnn_seq2seq",
)
MACHINES = ("neural_turing_machine", "stack_rnn")
NAMES = tuple(sorted((*SIZED, "pooled_neural_gpu", *ENCODER_DECODERS, *MACHINES)))
"""The package's models; a user's own come beside them."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class CanvasOptions:
    """Of models with a canvas."""

    models: ClassVar = (*SIZED, "pooled_neural_gpu", "hybrid_seq2seq")

    maps: int = option(
        512,
        "m, maps (channels) of the canvas; if sized, also the size of its embeddings",
    )
    kernel_size: int = option(3, "columns that a convolution covers; an odd number")


@dataclasses.dataclass(frozen=True, kw_only=True)
class SizedCanvasOptions:
    """Of models with a canvas whose size is chosen or known."""

    models: ClassVar = SIZED

    width: int = option(4, "w, width of the canvas")
    dropout_by_length: bool = option(
        False, "divide the dropout by the square root of the canvas size"
    )
    gradient_checkpointing: bool = option(
        False,
        "store only O(sqrt(n)) canvases and recompute the others for the gradient: "
        "memory grows with n^1.5 instead of n^2",
    )
    relaxations: int = option(
        1,
        "r, sets of weights that the encoder's steps cycle through (relaxed parameter "
        "sharing), until --relaxation_pull has merged them",
    )
    padding: str = option(
        "zero",
        "content of the source's PAD columns: zeros, as published, or a learned vector",
        choices=PADDINGS,
    )


@dataclasses.dataclass(frozen=True, kw_only=True)
class GateOptions:
    """Of models made of CGRUs."""

    models: ClassVar = (*GATED, "pooled_neural_gpu", "hybrid_seq2seq")

    gate_cutoff: float = option(
        1.2,
        "c of the gates max(0, min(1, c sigmoid(x) - (c - 1)/2)); 1: plain sigmoids",
    )
    gate_bias: float = option(1.0, "start of the gates' biases")


@dataclasses.dataclass(frozen=True, kw_only=True)
class StackOptions:
    """Of models with layers."""

    models: ClassVar = (*SIZED, "pooled_neural_gpu", *ENCODER_DECODERS)

    layers: int = option(
        2,
        "l: CGRUs in a step of a canvas; steps of a pooled_neural_gpu's encoder; "
        "recurrent layers of encoder and decoder each",
    )


@dataclasses.dataclass(frozen=True, kw_only=True)
class RecurrentOptions:
    """Of recurrent models."""

    models: ClassVar = (*ENCODER_DECODERS, *MACHINES)

    units: int = option(
        0,
        "units of the recurrent cells, attention and controller; 0: the model's "
        "default, 1,024 for encoder-decoders, 100 for neural_turing_machine, stack_rnn",
    )


@dataclasses.dataclass(frozen=True, kw_only=True)
class EmbeddingOptions:
    """Of models whose embeddings have a size of their own."""

    models: ClassVar = ("pooled_neural_gpu", *ENCODER_DECODERS, *MACHINES)

    embedding_size: int = option(
        0,
        "size of the embeddings; 0: the model's default, 32 for neural_turing_machine "
        "and stack_rnn, else 512",
    )


@dataclasses.dataclass(frozen=True, kw_only=True)
class EncoderDecoderOptions:
    """Of recurrent encoder-decoders."""

    models: ClassVar = ENCODER_DECODERS

    cell: str = option("gru", "the cells", choices=CELLS)
    bidirectional: bool = option(False, "the encoder also reads the source backwards")


@dataclasses.dataclass(frozen=True, kw_only=True)
class HybridOptions:
    """Of attention to an active memory."""

    models: ClassVar = ("hybrid_seq2seq",)

    memory_steps: int = option(2, "steps of the active memory of the annotations")


@dataclasses.dataclass(frozen=True, kw_only=True)
class FixedMemoryOptions:
    """Of the fixed-size memory."""

    models: ClassVar = ("fixed_memory_seq2seq",)

    contexts: int = option(64, "K, rows of the memory")
    position_encoding: bool = option(
        False, "tell the memory's rows apart by source positions"
    )
    attention_score: str = option(
        "state",
        "what weighs the memory's rows: the decoder's state alone, or how well each "
        "row matches that state",
        choices=LOOKUPS,
    )
    encoder_scoring: str = option(
        "softmax",
        "how a source position is distributed over the memory's rows",
        choices=SCORINGS,
    )
    decoder_scoring: str = option(
        "softmax",
        "how --attention_score=state weighs the memory's rows",
        choices=SCORINGS,
    )


@dataclasses.dataclass(frozen=True, kw_only=True)
class TuringOptions:
    """Of the Neural Turing Machine."""

    models: ClassVar = ("neural_turing_machine",)

    memory_rows: int = option(128, "N, rows of the memory")
    memory_width: int = option(20, "M, numbers in a row of the memory")
    controller: str = option(
        "lstm", "the controller network, of --units units", choices=CONTROLLERS
    )
    read_heads: int = option(1, "heads that read the memory")
    write_heads: int = option(1, "heads that write to the memory")
    shift_range: int = option(1, "maximum rows that a head moves per step")
    memory_start: str = option(
        "learned", "initial state of memory and heads", choices=MEMORY_STARTS
    )


@dataclasses.dataclass(frozen=True, kw_only=True)
class StackMachineOptions:
    """Of the recurrent network with stacks."""

    models: ClassVar = ("stack_rnn",)

    stacks: int = option(10, "number of stacks")
    stack_depth: int = option(
        0, "numbers that a stack holds; 0: as many as can ever be pushed"
    )
    stack_tops: int = option(2, "k, how many topmost numbers of each stack are read")
    recurrent: bool = option(
        True, "whether the last hidden state is seen, too, not the stacks alone"
    )


FAMILIES = (
    CanvasOptions,
    SizedCanvasOptions,
    GateOptions,
    StackOptions,
    RecurrentOptions,
    EmbeddingOptions,
    EncoderDecoderOptions,
    HybridOptions,
    FixedMemoryOptions,
    TuringOptions,
    StackMachineOptions,
)
"""Options that not every model takes, by the models that take them."""


@dataclasses.dataclass(frozen=True)
class ModelConfig(*FAMILIES):
    """The model options; each field's help text is its documentation.

    It has the fields of all families; a model takes those of its own. `model` is not
    checked here, as it may be a user's own, but by `models.check_taken` and
    `models.build_model`.

    Raises:
        InputError: a value is not legal; the message names the option.
    """

    models: ClassVar = NAMES

    model: str = option("extended_neural_gpu", f"the model: {', '.join(NAMES)}")
    kernel_gain: float = option(
        0.0,
        "gain of the orthogonal kernel initializer; 0: the model's default, gain 1.4 "
        "for a sized canvas (0.05 for residual_neural_gpu), Glorot uniform for "
        "pooled_neural_gpu, else gain 1",
    )
    embedding_range: float = option(
        0.0,
        "initial embeddings are uniform between minus and plus this; 0: the model's "
        "default, 1 for a sized canvas, else 0.1",
    )
    dropout: float = option(
        0.0,
        "dropout rate: of the canvas before each step (of the first canvas and the "
        "candidates in a diagonal_neural_gpu); without a sized canvas, of layer inputs",
    )

    def __post_init__(self) -> None:
        check_options(self)
        for name in _COUNTS:
            check_at_least(name, getattr(self, name), 1)
        for name in MODELS_OWN:
            check_at_least(name, getattr(self, name), 0)
        for name in ("gate_cutoff", "gate_bias", "kernel_gain", "embedding_range"):
            if not math.isfinite(getattr(self, name)):
                raise InputError(f"{name}={getattr(self, name)}: must be finite")
        if 2 * self.shift_range >= self.memory_rows:
            raise InputError(
                f"shift_range={self.shift_range}: must be less than half of "
                f"memory_rows={self.memory_rows}"
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


MODELS_OWN = ("units", "embedding_size", "kernel_gain", "embedding_range")
"""Options for which 0 means the model's own default."""

WITHOUT_WEIGHTS = (
    *("dropout", "dropout_by_length", "gradient_checkpointing"),
    *("kernel_gain", "embedding_range", "gate_bias"),  # where new weights start
)
"""Model options that change no weight's shape or meaning."""

_COUNTS = (
    *("maps", "width", "layers", "kernel_size", "gate_cutoff", "relaxations"),
    *("contexts", "memory_steps", "memory_rows", "memory_width", "read_heads"),
    *("write_heads", "shift_range", "stacks", "stack_tops"),
)
