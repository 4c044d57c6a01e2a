"""The Extended Neural GPU."""

from collections.abc import Mapping
from typing import Any

import keras

from neural_gpu_tf.layers import ActiveMemoryDecoder, DecoderState
from neural_gpu_tf.models.active_memory_model import ActiveMemoryModel
from neural_gpu_tf.types import Tensor


@keras.saving.register_keras_serializable("neural_gpu_tf")
class ExtendedNeuralGPU(ActiveMemoryModel):
    """Active memory that decodes symbol by symbol.

        s_n     = the encoder's canvas after n steps   (`ActiveMemoryModel`)
        d_0     = s_n, p_0 = 0
        d_{t+1} = CGRU^d(d_t, p_t)                     (`ActiveMemoryDecoder`)
        l_t     = O d_{t+1}[t, 0]
        p_{t+1} = p_t with p_{t+1}[t, 0] = E' o_t

    (Kaiser & Bengio 2016, "Can Active Memory Replace Attention?", §2.2.)

    Args, inputs and output: as `ActiveMemoryModel`.

    Example:
        >>> model = ExtendedNeuralGPU(vocabulary_size=32, maps=24)
        >>> symbols = keras.ops.ones((2, 5), "int32")
        >>> size = keras.ops.array([5, 3])
        >>> model({"source": symbols, "target": symbols, "size": size}).shape
        (2, 5, 32)
    """

    decoder_class = ActiveMemoryDecoder

    @classmethod
    def own_layers(cls, embedding: Any, units: Mapping[str, Any]) -> dict[str, Any]:
        seed = units["seed"]  # not the encoder's, or both would drop the same cells
        units = {**units, "seed": None if seed is None else seed + 1}
        return {
            "target_embedding": embedding("target_embedding"),
            "decoder": cls.decoder_class(**units, name="decoder"),
        }

    @staticmethod
    def logits(
        parts: Mapping[str, Any], encoded: Tensor, target: Tensor, size: Tensor
    ) -> Tensor:
        vectors = parts["target_embedding"](target)
        return parts["readout"](parts["decoder"](encoded, vectors, size))

    def start(self, source: Tensor, size: Tensor) -> DecoderState:
        """Encodes: source [batch, n] symbols, size [batch] → the decoder's state."""
        return self.decoder.start(self.encode(source, size), size)

    def step(
        self, state: DecoderState, previous: Tensor, t: Tensor | int
    ) -> tuple[DecoderState, Tensor]:
        """One symbol: previous [batch] (o_{t-1}; GO at t = 0) → logits [batch, v]."""
        vector = self.target_embedding(previous)
        state, readout = self.decoder.step(state, vector, t)
        return state, self.readout(readout)
