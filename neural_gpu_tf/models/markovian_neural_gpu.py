"""The Markovian Neural GPU."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import keras
from keras import ops

from neural_gpu_tf.layers import RowWithVectors
from neural_gpu_tf.models.gated_model import GatedModel
from neural_gpu_tf.models.shift_right import shift_right, symbol_before
from neural_gpu_tf.types import Tensor


class FinalRow(NamedTuple):
    """Decoding state of the Markovian Neural GPU."""

    row: Tensor  # [batch, n, m]: s_n[k, 0]
    size: Tensor  # [batch]: n_b


@keras.saving.register_keras_serializable("neural_gpu_tf")
class MarkovianNeuralGPU(GatedModel):
    """The Markovian Neural GPU: each output also depends on the previous symbol.

        s_n = the encoder's canvas after n steps   (`ActiveMemoryModel`)
        l_k = O concat(s_n[k, 0], E' o_{k-1}),  o_{-1} = GO

    (Kaiser & Bengio 2016, "Can Active Memory Replace Attention?", §2.1.)

    Args, inputs and output: as `GatedModel`.

    Example:
        >>> model = MarkovianNeuralGPU(vocabulary_size=32, maps=24)
        >>> symbols = keras.ops.ones((2, 5), "int32")
        >>> size = keras.ops.array([5, 3])
        >>> model({"source": symbols, "target": symbols, "size": size}).shape
        (2, 5, 32)
    """

    @staticmethod
    def own_layers(
        symbols: Callable[[str], Any], decoder: Callable[[], Any], dtype: Any
    ) -> dict[str, Any]:
        return {
            "target_embedding": symbols("target_embedding"),
            "row": RowWithVectors(dtype=dtype, name="row"),
        }

    @staticmethod
    def logits(
        parts: Mapping[str, Any], encoded: Tensor, target: Tensor, size: Tensor
    ) -> Tensor:
        vectors = parts["target_embedding"](shift_right(target))
        return parts["readout"](parts["row"](encoded, vectors, size))

    def start(self, source: Tensor, size: Tensor) -> FinalRow:
        """Encodes: source [batch, n] symbols, size [batch] → s_n[k, 0]."""
        return FinalRow(self.encode(source, size)[:, :, 0], size)

    def step(
        self, state: FinalRow, previous: Tensor, t: Tensor | int
    ) -> tuple[FinalRow, Tensor]:
        """One symbol: previous [batch] (o_{t-1}; GO at t = 0) → logits [batch, v]."""
        t = ops.cast(t, "int32")
        vector = self.target_embedding(symbol_before(previous, t))
        column = ops.take(state.row, t, axis=1)
        inside = ops.cast(ops.cast(state.size, "int32") > t, vector.dtype)
        vector = vector * inside[:, None]
        return state, self.readout(ops.concatenate([column, vector], axis=-1))
