"""The first canvas: a sequence of vectors in row 0."""

from typing import Any

import keras

from neural_gpu_tf.configuration import whole_number
from neural_gpu_tf.layers.canvas import first_row
from neural_gpu_tf.types import Tensor


@keras.saving.register_keras_serializable("neural_gpu_tf")
class FirstRow(keras.layers.Layer):
    """Puts vectors into row 0 of a canvas of zeros: s_0[k, 0] = E i_k.

    (Kaiser & Sutskever 2016, §2.)

    Args:
        width: w.

    Input shape: [batch, n, m]. Output shape: [batch, n, w, m]. A mask is passed on.

    Example:
        >>> FirstRow(width=4)(keras.random.normal((32, 20, 24))).shape
        (32, 20, 4, 24)
    """

    def __init__(self, width: int, **kwargs: Any):
        super().__init__(**kwargs)
        width = whole_number("width", width, 1)
        self.supports_masking = True
        self.width = width

    def call(self, vectors: Tensor) -> Tensor:
        return first_row(vectors, self.width)

    def compute_output_shape(self, vectors_shape: Any) -> Any:
        return (*vectors_shape[:2], self.width, vectors_shape[2])

    def get_config(self) -> dict:
        return {**super().get_config(), "width": self.width}
