"""`jax.jit` under JAX; PyTorch computes step by step."""

import keras

if keras.backend.backend() == "jax":
    from jax import jit as compiled
else:

    def compiled(function):
        return function


__all__ = ["compiled"]
