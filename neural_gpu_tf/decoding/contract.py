"""Protocol of the models that can be decoded."""

from collections.abc import Callable
from typing import Any, Protocol

from neural_gpu_tf.types import Tensor

Step = Callable[[Any, Tensor, Tensor | int], tuple[Any, Tensor]]
"""`DecodableModel.step` and what `stepper` returns."""


class DecodableModel(Protocol):
    """What decoding asks of a model, an ensemble, or a model under a constraint."""

    @property
    def sized(self) -> bool:
        """Whether an output depends on the size of its canvas."""

    @property
    def attends(self) -> bool:
        """Whether states have a field `attention`, [h, n]: the weights of the source's
        symbols in the last step."""

    @property
    def answers_at_once(self) -> bool:
        """Whether there is `solve`."""

    def start(self, source: Tensor, size: Tensor) -> Any:
        """The state before the first step, a nest of tensors that lead with h.

        Args:
            source: symbols [h, n], PAD behind the source; n ≥ n_b.
            size: n_b, int [h], at least 1.
        """

    def step(self, state: Any, previous: Tensor, t: Tensor | int) -> tuple[Any, Tensor]:
        """One symbol: previous [h] (o_{t-1}; GO at t = 0) → state, logits [h, v]."""

    def stepper(self) -> Step:
        """`step` for a loop: what no step changes is computed now, before it."""

    def solve(self, source: Tensor, size: Tensor) -> Tensor:
        """The logits of all symbols, [h, n, v], if the model `answers_at_once`."""
