"""Mask of a source's positions: true where there is a symbol."""

from typing import Any

import keras
from keras import ops

from neural_gpu_tf.constants import PAD
from neural_gpu_tf.types import Tensor


@keras.saving.register_keras_serializable("neural_gpu_tf")
class SourceMask(keras.layers.Layer):
    """Mask of a source: true at position k if k < n_b and its symbol is not PAD.

    Input shape: source [batch, n] symbols; size, n_b ≤ n, int [batch].
    Output shape: bool [batch, n].

    Example:
        >>> mask = SourceMask()(np.array([[7, 5, 0], [6, 5, 4]]), np.array([3, 2]))
        >>> np.array(mask).tolist()
        [[True, True, False], [True, True, False]]
    """

    def call(self, source: Tensor, size: Tensor) -> Tensor:
        columns = ops.arange(ops.shape(source)[1], dtype="int32")
        inside = columns[None, :] < ops.cast(size, "int32")[:, None]
        return ops.logical_and(inside, ops.cast(source, "int32") != PAD)

    def compute_output_spec(self, source: Any, size: Any) -> keras.KerasTensor:
        return keras.KerasTensor(source.shape, dtype="bool")

    def compute_output_shape(self, source_shape: Any, size_shape: Any) -> Any:
        return source_shape

    def get_config(self) -> dict:
        return super().get_config()  # its own: a dtype policy object is serialized so
