"""Building of models from their options."""

import dataclasses
import inspect
from collections.abc import Collection, Mapping
from typing import Any

import keras

from neural_gpu_tf.configuration import check_choice
from neural_gpu_tf.constants import EOS
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.models.catalog import MODELS
from neural_gpu_tf.options import ModelConfig
from neural_gpu_tf.options.model import MODELS_OWN, WITHOUT_WEIGHTS

_PARAMETERS = {
    "gate_cutoff": "cutoff",
    "kernel_gain": "kernel_initializer",
    "embedding_range": "embedding_initializer",
}
"""Parameters of the models, where they have other names than the options."""


def check_taken(model: str, options: Collection[str]) -> None:
    """Checks which options are asked for of a model.

    Args:
        model: the name.
        options: names of options that were asked for.

    Raises:
        InputError: there is no such model, or it does not take one of these
            `ModelConfig` options.
    """
    for name in options:
        parameter = _PARAMETERS.get(name, name)
        if name != "model" and parameter not in _parameters(model):
            able = [other for other in MODELS if parameter in _parameters(other)]
            raise InputError(
                f"{name}=…: not an option of model={model}, only of "
                f"{', '.join(able)}; leave it out"
            )
    _parameters(model)


def taken_options(config: ModelConfig) -> dict[str, Any]:
    """The options that the model takes, by name.

    Where 0 stands for the model's own, the value is the default of its constructor;
    for `kernel_gain` and `embedding_range` that is an initializer.

    Raises:
        InputError: there is no such model.
    """
    parameters, taken = _parameters(config.model), {}
    for field in dataclasses.fields(config):
        parameter = parameters.get(_PARAMETERS.get(field.name, field.name))
        if parameter is not None:
            value = getattr(config, field.name)
            own = field.name in MODELS_OWN and not value
            taken[field.name] = parameter.default if own else value
    return taken


def check_same_model(theirs: ModelConfig, given: ModelConfig, path: str) -> None:
    """Raises InputError if the weights of one mean something else in the other.

    Args:
        theirs: the options of the run that gives its weights.
        given: those of the run that begins with them.
        path: the former, for the message.
    """
    here, there = ({"model": x.model} | taken_options(x) for x in (given, theirs))
    for name, value in there.items():
        if name not in WITHOUT_WEIGHTS and value != here.get(name):
            raise InputError(
                f"init_from={path}: that run has {name}={value}, not "
                f"{here.get(name)}; give the same, or train from scratch"
            )


def cell_bytes(config: ModelConfig) -> int:
    """Bytes of one column of one float32 canvas, or of a recurrent model's memory.

    That is an annotation of the source and what attention makes of it. A model of your
    own that takes neither maps nor units counts as one of the default size.
    """
    taken = taken_options(config)
    maps = taken.get("maps", 0 if "units" in taken else ModelConfig.maps)
    canvas = taken.get("width", 1) * maps
    # The annotation, of one direction or of both, and its keys.
    recurrent = (2 + taken.get("bidirectional", False)) * taken.get("units", 0)
    return 4 * (canvas + recurrent)


def _parameters(model: str) -> Mapping[str, inspect.Parameter]:
    """What a model takes: not every one has gates to set."""
    check_choice("model", model, tuple(MODELS))
    # In Python 3.11.2 the class's own signature is that of Keras's `__new__`.
    return inspect.signature(MODELS[model].__init__).parameters


def build_model(
    config: ModelConfig,
    vocabulary_size: int,
    seed: int | None = None,
    dtype: str | None = None,
    drawn: bool = True,
) -> keras.Model:
    """A new model; its weights follow from `keras.utils.set_random_seed`.

    Args:
        config: the model options.
        vocabulary_size: number of symbols.
        seed: of the dropout.
        dtype: policy of all layers.
        drawn: whether to initialize kernels and embeddings at random; else they are 0
            (but for the readout of a canvas), which saves time if weights are loaded
            afterwards.

    Raises:
        InputError: there is no such model, or it has no steps that could take
            `relaxations` in turn.
    """
    gain, reach = config.kernel_gain, config.embedding_range
    options = taken_options(config)
    if config.relaxations > 1 and "relaxations" not in options:
        raise InputError(
            f"relaxations={config.relaxations}: model={config.model} does not support "
            "sets of weights that steps cycle through; leave it at 1"
        )
    if gain:
        options["kernel_gain"] = keras.initializers.Orthogonal(gain)
    if reach:
        options["embedding_range"] = keras.initializers.RandomUniform(-reach, reach)
    if not drawn:
        initializers = options.keys() & {"kernel_gain", "embedding_range"}
        initializers |= _parameters(config.model).keys() & {"recurrent_initializer"}
        options |= dict.fromkeys(initializers, "zeros")
    arguments = {_PARAMETERS.get(name, name): x for name, x in options.items()}
    model = MODELS[config.model](vocabulary_size, **arguments, seed=seed, dtype=dtype)
    if not model.built:  # an own one, whose layers are made when it is called
        symbols = keras.ops.full((1, 2), EOS, "int32")
        model({"source": symbols, "target": symbols, "size": keras.ops.array([2])})
    return model
