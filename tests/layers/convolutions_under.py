"""Run by test_convolutions.py under another backend: convolves what a file holds."""

import sys

import keras
import numpy as np

from neural_gpu_tf.layers.convolutions import (
    convolve,
    convolve_each_map,
    kernel_gradient,
)

given = dict(np.load(sys.argv[1]))
x, y, kernel, wide, taps = (given[n] for n in ("x", "y", "kernel", "wide", "taps"))
x, y, kernel, wide, taps = map(keras.ops.convert_to_tensor, (x, y, kernel, wide, taps))
found = {
    "convolved": convolve(x, kernel),
    "convolved_wide": convolve(x, wide),
    "each_map": convolve_each_map(x, taps),
    "gradient": kernel_gradient(x, y, kernel),
    "gradient_wide": kernel_gradient(x, y, wide),
}
if keras.backend.backend() == "jax":
    import jax

    pairs = np.stack([x, -2 * x]), np.stack([2 * kernel, kernel])
    found["twice"] = jax.vmap(convolve)(*pairs)[1]
np.savez(sys.argv[1], **found)
