"""Whether training still gives numbers."""

from collections.abc import Sequence

import keras
import numpy as np

from neural_gpu_tf.training.train_step import StepResult
from neural_gpu_tf.weights import diverged


def divergence(model: keras.Model, step: int, results: Sequence[StepResult]) -> str:
    """The first step that gave no finite number, and what it gave; "" if none.

    Args:
        model: whose weights are looked at, too.
        step: the last of the results.
        results: of the steps to look at.
    """
    for i, result in enumerate(results):
        if not np.isfinite(float(result.loss) + float(result.gradient_norm)):
            bad = step - len(results) + 1 + i
            return (
                f"step {bad}: the loss is {float(result.loss)} and the gradient's "
                f"norm {float(result.gradient_norm)}"
            )
    fault = diverged(model)
    return f"step {step}: {fault}" if fault else ""
