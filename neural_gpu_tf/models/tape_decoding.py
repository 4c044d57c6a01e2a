"""Mixin that decodes with an active-memory decoder and its tape."""

from collections.abc import Callable, Mapping
from typing import Any

from neural_gpu_tf.layers import ActiveMemoryDecoder, DecoderState
from neural_gpu_tf.types import Tensor


class TapeDecoding:
    """Writes its output on a tape: d_0 = s_n, l_t = O d_{t+1}[t, 0].

    A model inherits from this class first, then from an `ActiveMemoryModel`.
    """

    encode: Callable[..., Tensor]
    readout: Callable[[Tensor], Tensor]
    target_embedding: Callable[[Tensor], Tensor]
    decoder: ActiveMemoryDecoder

    @staticmethod
    def own_layers(
        symbols: Callable[[str], Any], decoder: Callable[[], Any], dtype: Any
    ) -> dict[str, Any]:
        return {"target_embedding": symbols("target_embedding"), "decoder": decoder()}

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
