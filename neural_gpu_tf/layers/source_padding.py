"""Source vectors set to 0 where the symbol is PAD."""

from typing import Any

import keras
from keras import ops

from neural_gpu_tf.constants import PAD, PADDINGS
from neural_gpu_tf.types import Tensor


@keras.saving.register_keras_serializable("neural_gpu_tf")
class SourcePadding(keras.layers.Layer):
    """Sets the vectors of PAD symbols to 0 and leaves all others unchanged.

    So the columns behind a source are empty, as in the equations of Kaiser & Sutskever
    (2016, §2). (In their code PAD's embedding is 0, too, but a trained bias is added
    to every column before the first step.)

    Args:
        padding: "zero"; "learned" leaves PAD the vector that it has.

    Input shape: vectors [batch, n, m]; symbols, int [batch, n].
    Output shape: [batch, n, m]. A mask is passed on.

    Example:
        >>> symbols = np.array([[7, 5, 0]])
        >>> padded = SourcePadding()(np.ones((1, 3, 2), "float32"), symbols)
        >>> np.array(padded).tolist()
        [[[1.0, 1.0], [1.0, 1.0], [0.0, 0.0]]]
    """

    def __init__(self, padding: str = "zero", **kwargs: Any):
        super().__init__(**kwargs)
        self.supports_masking = True  # a mask of the vectors is passed on
        if padding not in PADDINGS:
            raise ValueError(f"padding={padding!r}: choose {' or '.join(PADDINGS)}")
        self.padding = padding

    def call(self, vectors: Tensor, symbols: Tensor) -> Tensor:
        if self.padding == "learned":
            return vectors
        is_symbol = ops.cast(symbols, "int32") != PAD
        return vectors * ops.expand_dims(ops.cast(is_symbol, vectors.dtype), 2)

    def compute_output_shape(self, vectors_shape: Any, symbols_shape: Any) -> Any:
        return vectors_shape

    def get_config(self) -> dict:
        return {**super().get_config(), "padding": self.padding}
