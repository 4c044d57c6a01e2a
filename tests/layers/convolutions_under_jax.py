"""Run by test_convolutions.py with KERAS_BACKEND=jax: convolves what a file holds."""

import sys

import jax
import numpy as np

from neural_gpu_tf.layers.convolutions import (
    convolve,
    convolve_each_map,
    kernel_gradient,
)

given = dict(np.load(sys.argv[1]))
x, y, kernel, wide, taps = (given[n] for n in ("x", "y", "kernel", "wide", "taps"))
several = jax.vmap(convolve)(np.stack([x, -2 * x]), np.stack([2 * kernel, kernel]))
np.savez(
    sys.argv[1],
    convolved=convolve(x, kernel),
    convolved_wide=convolve(x, wide),
    each_map=convolve_each_map(x, taps),
    gradient=kernel_gradient(x, y, kernel),
    gradient_wide=kernel_gradient(x, y, wide),
    twice=several[1],
)
