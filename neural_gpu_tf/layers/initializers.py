"""Initializers that several weights share."""

import random
import zlib
from collections.abc import Callable
from typing import Any

import keras


def default(initializer: Callable[..., Any], *args: float) -> Any:
    """An initializer made at import, which leaves Python's random numbers as they are.

    Keras draws a seed for each as it is made. So the first model after
    `keras.utils.set_random_seed` would be another one if it were the first to be
    imported.
    """
    state = random.getstate()
    try:
        return initializer(*args)
    finally:
        random.setstate(state)


def of_part(initializer: Any, part: str) -> Any:
    """An initializer for one part of a layer that was given one for all of them.

    One with a seed draws the same numbers whenever it is called. So a part gets one
    whose seed follows from that seed and the part's name: parts differ, and two wholes
    made alike are equal. One without a seed, or a function, is returned as it is.

    Args:
        initializer: whatever `keras.initializers.get` takes.
        part: the name, unlike those of the other parts.
    """
    serialized = isinstance(initializer, dict)
    if not serialized and not isinstance(initializer, keras.initializers.Initializer):
        return initializer
    config = initializer.get("config") if serialized else initializer.get_config()
    seed = config.get("seed") if isinstance(config, dict) else None  # a function's: str
    if not isinstance(seed, int):
        return initializer
    config = config | {"seed": zlib.crc32(f"{seed}/{part}".encode())}
    if serialized:
        return initializer | {"config": config}
    return type(initializer).from_config(config)


def fresh(initializer: Any, weight: str) -> Any:
    """The same initializer, drawing other numbers, for the weight of this name.

    A function, one whose seed is a `SeedGenerator`, which goes on from weight to
    weight, and one without a `get_config` of its own are returned as they are.
    """
    drawn = keras.initializers.get(of_part(initializer, weight))
    seed = getattr(drawn, "seed", None)
    goes_on = isinstance(seed, keras.random.SeedGenerator)
    base = keras.initializers.Initializer
    tells = isinstance(drawn, base) and type(drawn).get_config is not base.get_config
    return drawn.clone() if tells and not goes_on else drawn
