"""Protocol of the models that can be decoded, and the form of what they are given."""

from collections.abc import Callable
from typing import Any, Protocol

from keras import ops

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.types import Tensor

Step = Callable[[Any, Tensor, Tensor | int], tuple[Any, Tensor]]
"""`DecodableModel.step` and what `stepper` returns."""


def as_canvases(model: Any, source: Any, size: Any) -> tuple[Tensor, Tensor]:
    """Source [h, n] and size int32 [h] as tensors, for a model to decode.

    Raises:
        InputError: they have other shapes, a size is larger than n (not found where
            sizes are not known yet, in a graph), or the model has no steps to decode
            by.
    """
    if not hasattr(model, "stepper"):
        raise InputError(
            f"{type(model).__name__}: has no `start`, `step` and `stepper` to decode "
            "by; take a model of neural_gpu_tf.models, and copy one by the from_config "
            "of its class, as keras.models.clone_model loses it"
        )
    source, size = ops.convert_to_tensor(source), ops.cast(size, "int32")
    shapes = tuple(source.shape), tuple(size.shape)
    lengths = {x[0] for x in shapes if x and x[0] is not None}
    if [len(x) for x in shapes] != [2, 1] or len(lengths) > 1:
        raise InputError(
            f"source has the shape {shapes[0]}, size {shapes[1]}; they must be "
            "(h, n) and (h,), a size for each source"
        )
    _check_sizes(size, source.shape[1])
    return source, size


def _check_sizes(size: Tensor, columns: int | None) -> None:
    """Raises InputError if a known size is larger than the source."""
    if columns is None or not size.shape[0]:
        return
    try:
        largest = int(ops.max(size))
    except TypeError:  # a tensor of a graph
        return
    if largest > columns:
        raise InputError(
            f"size={largest}: more than the source's {columns} columns; append PAD "
            "(0) to the source"
        )


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
        """A `step` to be called in a loop; what is constant in it is computed now."""

    def solve(self, source: Tensor, size: Tensor) -> Tensor:
        """The logits of all symbols, [h, n, v], if the model `answers_at_once`."""
