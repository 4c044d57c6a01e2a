"""The seeds of a model: the states of its random generators.

Keras saves none of them with a model.
"""

import keras

_NAME = "seed_generator_state"  # Keras's


def is_seed(variable: keras.Variable) -> bool:
    """Whether it is the state of a `keras.random.SeedGenerator`."""
    return bool(variable.name == _NAME)
