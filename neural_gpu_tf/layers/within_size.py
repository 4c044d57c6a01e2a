"""Vectors beyond an example's size set to 0."""

from typing import Any

import keras

from neural_gpu_tf.layers.canvas import column_mask
from neural_gpu_tf.types import Tensor


@keras.saving.register_keras_serializable("neural_gpu_tf")
class WithinSize(keras.layers.Layer):
    """Sets the vectors at t ≥ n_b to 0 and leaves all others unchanged.

    Input shape: vectors [batch, n, d]; size n_b, int [batch].
    Output shape: [batch, n, d]. A mask is passed on.

    Example:
        >>> within = WithinSize()(np.ones((2, 3, 1), "float32"), np.array([3, 2]))
        >>> np.array(within)[:, :, 0].tolist()
        [[1.0, 1.0, 1.0], [1.0, 1.0, 0.0]]
    """

    def __init__(self, **kwargs: Any):
        super().__init__(**kwargs)
        self.supports_masking = True  # a mask of the vectors is passed on

    def call(self, vectors: Tensor, size: Tensor) -> Tensor:
        columns = keras.ops.shape(vectors)[1]
        return vectors * column_mask(size, columns, vectors.dtype)[:, :, 0]

    def compute_output_shape(self, vectors_shape: Any, size_shape: Any) -> Any:
        return vectors_shape

    def get_config(self) -> dict:
        return super().get_config()  # its own: a dtype policy object is serialized so
