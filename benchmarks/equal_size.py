"""Flags with which a model has as many weights as another."""

import dataclasses
import inspect
from collections.abc import Callable, Sequence
from typing import Any

TOLERANCE = 0.05

RECURRENT = {
    "learning_rate": 0.002,
    "adam_epsilon": 1e-8,
    "kernel_gain": 1.0,
    "embedding_range": 0.1,
}
"""As is usual for them. An active memory learns at the demo's 0.005 and Adam's ε of
1e-4, from kernels of gain 1.4 and embeddings in ±1; with these a GRU is saturated."""

OWN: dict[str, dict[str, Any]] = {
    "attention_seq2seq": RECURRENT | {"layers": 1, "bidirectional": True},  # RNNsearch
    "fixed_memory_seq2seq": RECURRENT
    | {"layers": 1, "bidirectional": True, "contexts": 32},
    "hybrid_seq2seq": RECURRENT
    | {
        "layers": 1,
        "bidirectional": True,
        "maps": 64,
        "gate_cutoff": 1.0,
        "gate_bias": 0.0,
    },
    "rnn_seq2seq": RECURRENT,
    "neural_turing_machine": RECURRENT,
    "stack_rnn": RECURRENT,
    "pooled_neural_gpu": {
        "layers": 4,
        "gate_bias": 0.0,
        "learning_rate": 0.002,
        "adam_epsilon": 1e-8,
    },
    # It is linear: s grows by 1 + gain a unit, n l times; and so does its gradient.
    "residual_neural_gpu": {"kernel_gain": 0.05, "learning_rate": 0.002},
}
"""The flags that a model has otherwise than the flagfile, if that is not its own."""


def find_size(count: Callable[[int], int], wanted: int) -> int:
    """The x ≥ 1 with which count(x) = a x² + b x + c comes nearest to `wanted`.

    So many weights has every model of size x: matrices of one side or of two.
    """
    step = 8  # small models are built in no time
    first, second, third = (count(step * i) for i in (1, 2, 3))
    a = (third - 2 * second + first) / (2 * step**2)
    b = (second - first) / step - 3 * a * step
    c = first - a * step**2 - b * step

    def error(x: int) -> float:
        return abs(a * x**2 + b * x + c - wanted)

    x = 1
    while error(x + 1) < error(x):
        x += 1
    return x


def sized(name: str, x: int) -> dict[str, int]:
    """The flags that make a model of size x: units, or else m; embeddings alike."""
    from neural_gpu_tf.models import MODELS

    taken = inspect.signature(MODELS[name].__init__).parameters
    size = "units" if "units" in taken else "maps"
    return {k: x for k in (size, "embedding_size") if k in taken}


def of_equal_size(name: str, reference: Any, vocabulary_size: int) -> dict[str, int]:
    """The flags with which a model has as many weights as the reference.

    Args:
        name: of the model.
        reference: the `ModelConfig` of the reference; the model's other options are
            those, but for `OWN`.
        vocabulary_size: number of symbols.

    Raises:
        InputError: no size comes within 5%.
    """
    from neural_gpu_tf.errors import InputError
    from neural_gpu_tf.models import build_model

    fields = {field.name for field in dataclasses.fields(reference)}
    own = {k: v for k, v in OWN.get(name, {}).items() if k in fields}

    def count(x: int) -> int:
        options = own | sized(name, x) | {"model": name}
        config = dataclasses.replace(reference, **options)
        return build_model(config, vocabulary_size).count_params()

    wanted = build_model(reference, vocabulary_size).count_params()
    x = find_size(count, wanted)
    found = count(x)
    if abs(found - wanted) > TOLERANCE * wanted:
        raise InputError(
            f"{name}: {found:,} weights come nearest to the reference's {wanted:,}; "
            "choose a larger reference"
        )
    return sized(name, x)


def taken(arguments: Sequence[str], model: str) -> list[str]:
    """The flags, as "--name=value", but those of options that a model does not take.

    Nor are those of a new vocabulary, since each model has that of the reference.
    """
    from neural_gpu_tf.errors import InputError
    from neural_gpu_tf.models import check_taken
    from neural_gpu_tf.options import ModelConfig, VocabularyConfig

    def is_taken(argument: str) -> bool:
        name = argument.partition("=")[0].lstrip("-")
        if name not in ModelConfig.__dataclass_fields__:
            return name not in VocabularyConfig.__dataclass_fields__
        try:
            check_taken(model, [name])
        except InputError:
            return False
        return True

    return [argument for argument in arguments if is_taken(argument)]
