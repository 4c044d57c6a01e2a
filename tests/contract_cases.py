"""What goes through the Keras contract: every public layer and model."""

import inspect

import keras

from neural_gpu_tf import layers, models

CANVAS = (("n", 2, 3), "float32")
VECTORS = (("n", 3), "float32")
SIZE = ((), "size")
MASK = (("n",), "mask")


def orthogonal():
    return keras.initializers.Orthogonal(1.3)


def plain():
    return dict(maps=3, kernel_size=(3, 1), kernel_initializer=orthogonal())


def gated():
    return plain() | dict(cutoff=1.1, gate_bias=(0.7, 0.5))


def loop(unit, options, **others):
    """Two units with options of their own, and what the loop takes."""

    def arguments():
        return dict(
            units=[unit(**options()), unit(**options() | {"kernel_size": (5, 3)})],
            dropout=0.1,
            dropout_by_length=True,
            gradient_checkpointing=True,
            relaxations=1,
            seed=7,
            **others,
        )

    return arguments


def of(**fixed):
    return lambda: dict(fixed, kernel_initializer=orthogonal())


ENCODER = {"canvas": CANVAS, "size": SIZE}
DECODER = {"canvas": CANVAS, "vectors": VECTORS, "size": SIZE}
RECURRENT = dict(units=4, layers=1, cell="lstm", dropout=0.1, seed=7)
BOTH = dict(kernel_initializer=orthogonal(), recurrent_initializer=orthogonal())

LAYERS = [
    (layers.CGRU, gated, {"canvas": CANVAS}),
    (layers.TapeCGRU, gated, {"canvas": CANVAS, "tape": CANVAS}),
    (layers.DiagonalCGRU, plain, {"canvas": CANVAS}),
    (layers.ResidualUnit, plain, {"canvas": CANVAS}),
    (layers.TapeResidualUnit, plain, {"canvas": CANVAS, "tape": CANVAS}),
    (layers.ActiveMemoryEncoder, loop(layers.CGRU, gated), ENCODER),
    (layers.ActiveMemoryEncoder, loop(layers.ResidualUnit, plain), ENCODER),
    (
        layers.DiagonalEncoder,
        loop(layers.DiagonalCGRU, plain, saturation_weight=0.1),
        ENCODER,
    ),
    (layers.ActiveMemoryDecoder, loop(layers.TapeCGRU, gated), DECODER),
    (layers.ActiveMemoryDecoder, loop(layers.TapeResidualUnit, plain), DECODER),
    (layers.AttentiveDecoder, loop(layers.TapeCGRU, gated), DECODER),
    (layers.FirstRow, lambda: dict(width=2), {"vectors": VECTORS}),
    (layers.RowWithVectors, dict, DECODER),
    (layers.WithinSize, dict, {"vectors": VECTORS, "size": SIZE}),
    (
        layers.SourcePadding,
        lambda: dict(padding="learned"),
        {"vectors": VECTORS, "symbols": (("n",), 9)},
    ),
    (layers.SourceMask, dict, {"source": (("n",), 9), "size": SIZE}),
    (
        layers.FixedMemory,
        of(contexts=3, position_encoding=True, scoring="sigmoid"),
        {"annotations": VECTORS, "mask": MASK},
    ),
    (
        layers.MemoryLookup,
        of(scoring="sigmoid"),
        {"query": ((6,), "float32"), "rows": ((5, 3), "float32")},
    ),
    (
        layers.MemoryAnnotations,
        of(maps=2, steps=1, kernel_size=5, cutoff=1.1, gate_bias=(0.7, 0.5)),
        {"annotations": VECTORS, "mask": MASK},
    ),
    (
        layers.MemoryAttention,
        of(units=3, score="dot"),
        {"query": ((6,), "float32"), "rows": VECTORS, "mask": MASK},
    ),
    (
        layers.RecurrentEncoder,
        lambda: dict(RECURRENT, bidirectional=True, **BOTH),
        {"vectors": VECTORS, "mask": MASK},
    ),
    (
        layers.PooledDecoder,
        lambda: dict(unit=layers.CGRU(**gated()), kernel_initializer=orthogonal()),
        {"memory": (("n", 1, 3), "float32"), "vectors": VECTORS, "mask": MASK},
    ),
    (
        layers.UnsharedEncoder,
        lambda: dict(units=[layers.CGRU(**gated()), layers.ResidualUnit(**plain())]),
        {"canvas": CANVAS, "mask": MASK},
    ),
    (layers.ReplicaDropout, lambda: dict(rate=0.3, seed=7), {"inputs": VECTORS}),
    (
        layers.StackMachine,
        lambda: dict(
            **dict(units=4, stacks=2, tops=1, depth=6, recurrent=False),
            **dict(dropout=0.1, seed=7),
            **BOTH,
        ),
        {"vectors": VECTORS, "mask": MASK},
    ),
    (
        layers.TuringMachine,
        lambda: dict(
            units=4,
            memory_rows=5,
            memory_width=2,
            controller="feedforward",
            read_heads=2,
            write_heads=2,
            shift_range=2,
            memory_start="constant",
            dropout=0.1,
            seed=7,
            **BOTH,
        ),
        {"vectors": VECTORS, "mask": MASK},
    ),
]
ELSEWHERE = {"RecurrentDecoder", "TuringHeads"}
"""Layers whose inputs are nests; tests/layers has their own tests of it."""

VOCABULARY = 9
OPTIONS = dict(
    vocabulary_size=VOCABULARY,
    maps=4,
    width=2,
    layers=1,
    kernel_size=5,
    cutoff=1.1,
    gate_bias=(0.7, 0.5),
    dropout=0.1,
    dropout_by_length=True,
    gradient_checkpointing=True,
    relaxations=2,
    padding="learned",
    units=4,
    embedding_size=3,
    cell="lstm",
    bidirectional=True,
    memory_steps=1,
    contexts=3,
    position_encoding=True,
    attention_score="dot",
    encoder_scoring="sigmoid",
    decoder_scoring="sigmoid",
    stacks=2,
    stack_depth=7,
    stack_tops=1,
    recurrent=False,
    memory_rows=6,
    memory_width=3,
    controller="feedforward",
    read_heads=2,
    write_heads=2,
    shift_range=2,
    memory_start="constant",
    seed=3,
)


def options(cls):
    """Makes the arguments of a model, none of which is its default."""
    taken = inspect.signature(cls.__init__).parameters

    def arguments():
        initializers = dict(
            kernel_initializer=orthogonal(),
            recurrent_initializer=orthogonal(),
            embedding_initializer=keras.initializers.RandomUniform(-0.7, 0.7),
        )
        return {k: v for k, v in (OPTIONS | initializers).items() if k in taken}

    return arguments


MODELS = [(cls, options(cls)) for cls in models.MODELS.values()]
