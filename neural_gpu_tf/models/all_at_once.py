"""Readout of all symbols at once."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from keras import ops

from neural_gpu_tf.types import Tensor


class AllSymbols(NamedTuple):
    """Decoding state of a Neural GPU: the logits of all symbols, from the start."""

    logits: Tensor  # [batch, n, v]


class AllAtOnce:
    """Reads every symbol from the last canvas: l_k = O s_n[k, 0].

    A model inherits from this class first, then from an `ActiveMemoryModel`.
    """

    answers_at_once = True
    encode: Callable[..., Tensor]
    readout: Callable[[Tensor], Tensor]

    @staticmethod
    def own_layers(
        symbols: Callable[[str], Any], decoder: Callable[[], Any], dtype: Any
    ) -> dict[str, Any]:
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
