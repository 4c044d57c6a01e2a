"""Concatenation of a canvas's row 0 with vectors."""

from typing import Any

import keras
from keras import ops

from neural_gpu_tf.layers.canvas import check_vectors, column_mask
from neural_gpu_tf.types import Tensor


@keras.saving.register_keras_serializable("neural_gpu_tf")
class RowWithVectors(keras.layers.Layer):
    """Concatenates row 0 of a canvas with vectors: concat(s[k, 0], v_k), 0 for k ≥ n_b.

    (Kaiser & Bengio 2016.)

    Input shape: canvas s [batch, n, w, m]; vectors v [batch, n, d]; size n_b, int
        [batch].
    Output shape: [batch, n, m + d].

    Example:
        >>> canvas, size = keras.random.normal((2, 5, 4, 24)), np.array([5, 3])
        >>> RowWithVectors()(canvas, keras.random.normal((2, 5, 8)), size).shape
        (2, 5, 32)
    """

    def call(self, canvas: Tensor, vectors: Tensor, size: Tensor) -> Tensor:
        check_vectors(self.name, canvas, vectors)
        row = ops.concatenate([canvas[:, :, 0], vectors], axis=-1)
        return row * column_mask(size, ops.shape(row)[1], row.dtype)[:, :, 0]

    def compute_output_shape(
        self, canvas_shape: Any, vectors_shape: Any, size_shape: Any
    ) -> Any:
        return (*canvas_shape[:2], canvas_shape[-1] + vectors_shape[-1])

    def get_config(self) -> dict:
        return super().get_config()  # its own: a dtype policy object is serialized so
