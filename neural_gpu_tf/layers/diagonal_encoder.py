"""The encoder of the diagonal Neural GPU."""

import math
import numbers
from typing import Any

import keras
from keras import ops

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.layers import active_memory
from neural_gpu_tf.layers.active_memory_encoder import ActiveMemoryEncoder
from neural_gpu_tf.layers.diagonal_cgru import DiagonalCGRU
from neural_gpu_tf.layers.dropout_masks import dropout_mask
from neural_gpu_tf.layers.gates import beyond, hard_tanh
from neural_gpu_tf.layers.operations import sum_dtype
from neural_gpu_tf.types import Tensor


@keras.saving.register_keras_serializable("neural_gpu_tf")
class DiagonalEncoder(ActiveMemoryEncoder):
    """l diagonal CGRUs, applied n_b times to the canvas of example b.

        s_0     = τ(canvas)
        s_{t+1} = DCGRU_l(… DCGRU_1(s_t) …),  t = 0 … n_b - 1

    In training, dropout falls on s_0 and on every candidate, and the layer adds a
    loss: `saturation_weight` times the mean over the examples of

        (Σ_t saturation of step t + n_b Σ max(0, |canvas| - limit)) / n_b²

    (Freivalds & Liepins 2017, §3, and their code; see `DiagonalCGRU`.)

    Args: as `ActiveMemoryEncoder`, but the units are `DiagonalCGRU`s, and `dropout` is
        the rate of s_0 and of the candidates. And
        saturation_weight: of the loss.

    Input and output shape: as `ActiveMemoryEncoder`.

    Example:
        >>> canvas = keras.random.normal((2, 5, 1, 24))
        >>> DiagonalEncoder(DiagonalCGRU(24))(canvas, np.array([5, 3])).shape
        (2, 5, 1, 24)
    """

    unit_class = DiagonalCGRU

    def __init__(self, units: Any, saturation_weight: float = 1e-3, **kwargs: Any):
        super().__init__(units, **kwargs)
        is_number = isinstance(saturation_weight, numbers.Real)
        if not is_number or not 0 <= saturation_weight < math.inf:
            raise InputError(
                f"saturation_weight={saturation_weight!r}: must be a finite number, at "
                "least 0"
            )
        self.saturation_weight = saturation_weight

    def train_steps(self, canvas: Tensor, size: Tensor) -> Tensor:
        rate, seed = self.dropout_rate(size), self.dropout_seed(training=True)
        start = hard_tanh(canvas)
        if seed is not None:
            # The candidates of the steps take the numbers before this one.
            number = ops.shape(canvas)[1] * self.depth
            start *= dropout_mask(canvas, rate, seed, number)
        last, _, saturation = active_memory.run(
            self.units,
            start,
            size,
            dropout=rate,
            seed=seed,
            checkpoints=self.gradient_checkpointing,
            relaxations=self.relaxations,
        )
        dtype = sum_dtype(canvas)
        columns = ops.cast(ops.maximum(size, 1), dtype)
        at_start = ops.cast(beyond(canvas, DiagonalCGRU.limit), saturation.dtype)
        at_start = ops.sum(at_start, axis=(1, 2, 3))
        cost = ops.cast(saturation, dtype) / columns**2
        cost += ops.cast(at_start, dtype) / columns
        # Keras adds it to losses of its own type.
        cost = ops.cast(ops.mean(cost), keras.config.floatx())
        self.add_loss(self.saturation_weight * cost)
        return last

    def encode(self, canvas: Tensor, size: Tensor, trace: bool = False) -> Tensor:
        return super().encode(hard_tanh(canvas), size, trace)

    def get_config(self) -> dict:
        return {**super().get_config(), "saturation_weight": self.saturation_weight}
