"""The Neural GPU."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import keras
from keras import ops

from neural_gpu_tf.models.active_memory_model import ActiveMemoryModel
from neural_gpu_tf.types import Tensor


class AllSymbols(NamedTuple):
    """What the Neural GPU decodes from: everything is there from the start."""

    logits: Tensor  # [batch, n, v]


@keras.saving.register_keras_serializable("neural_gpu_tf")
class NeuralGPU(ActiveMemoryModel):
    """Active memory that gives all its symbols at once.

        s_n = the encoder's canvas after n steps   (`ActiveMemoryModel`)
        l_k = O s_n[k, 0]

    (Kaiser & Sutskever 2016, "Neural GPUs Learn Algorithms", §2.)

    Args, inputs and output: as `ActiveMemoryModel`; the target is not looked at.

    Example:
        >>> model = NeuralGPU(vocabulary_size=17, maps=24)
        >>> source = keras.ops.ones((2, 5), "int32")
        >>> model.solve(source, keras.ops.array([5, 3])).shape
        (2, 5, 17)
    """

    @classmethod
    def own_layers(cls, embedding: Any, units: Mapping[str, Any]) -> dict[str, Any]:
        return {}

    @staticmethod
    def logits(
        parts: Mapping[str, Any], encoded: Tensor, target: Tensor, size: Tensor
    ) -> Tensor:
        return parts["readout"](encoded[:, :, 0])

    def solve(self, source: Tensor, size: Tensor) -> Tensor:
        """Logits [batch, n, v] for inference, with memory for one canvas only."""
        return self.readout(self.encode(source, size)[:, :, 0])

    def start(self, source: Tensor, size: Tensor) -> AllSymbols:
        """Encodes, and reads all symbols."""
        return AllSymbols(self.solve(source, size))

    def step(
        self, state: AllSymbols, previous: Tensor, t: Tensor | int
    ) -> tuple[AllSymbols, Tensor]:
        """The logits of column t, [batch, v]; they know no other symbol."""
        return state, ops.take(state.logits, ops.cast(t, "int32"), axis=1)
