"""Steps of recurrent cells, forward and backward."""

import abc
from collections.abc import Sequence

from keras import ops

from neural_gpu_tf.layers.operations import (
    sigmoid_gradient,
    tanh_gradient,
    transposed_product,
)
from neural_gpu_tf.types import Tensor

State = tuple[Tensor, ...]


class CellSteps(abc.ABC):
    """What a cell computes in a step, and its gradient by hand.

    A step does not see x but a = x W + b, so that the product can be made for all
    steps at once. It comes cut into `parts`, as they are used (GRU: gates, candidate).
    Every residual is [batch, units], the first is h_{t-1}.
    """

    parts: Sequence[int]
    """How many times the units each part of W, U and b has columns."""

    residuals: int
    """How many tensors the backward step needs."""

    def split(self, matrix: Tensor) -> list[Tensor]:
        """The parts of W, of U or of b."""
        units = matrix.shape[-1] // sum(self.parts)
        ends = [units * sum(self.parts[: i + 1]) for i in range(len(self.parts) - 1)]
        return ops.split(matrix, ends, axis=-1) if ends else [matrix]

    @abc.abstractmethod
    def forward(
        self, recurrent: Sequence[Tensor], given: Sequence[Tensor], state: State
    ) -> tuple[State, list[Tensor]]:
        """One step.

        Args:
            recurrent: the parts of U.
            given: those of a, each [batch, …].
            state: (h_{t-1},) or (h_{t-1}, c_{t-1}).

        Returns:
            The new state and the residuals.
        """

    @abc.abstractmethod
    def backward(
        self, transposed: Sequence[Tensor], residual: Sequence[Tensor], by_state: State
    ) -> tuple[list[Tensor], State]:
        """The gradient of one step.

        Args:
            transposed: the parts of U, transposed.
            residual: from `forward`.
            by_state: the gradient by the new state.

        Returns:
            The gradients by the parts of a, and by the state before.
        """

    @abc.abstractmethod
    def by_recurrent(
        self, residuals: Sequence[Tensor], by_given: Sequence[Tensor]
    ) -> list[Tensor]:
        """The gradients by the parts of U, of all steps.

        Args:
            residuals: stacked, each [n, batch, units].
            by_given: from `backward`, each [n, batch, …].
        """


class GRUSteps(CellSteps):
    """Steps of a GRU whose reset gate stands before the matrix.

        z, r = σ(a_g + U_g h)
        h~   = tanh(a + U (r ⊙ h))
        h'   = z ⊙ h + (1 - z) ⊙ h~

    With δ = ∂L/∂h' and β = (1 - h~²) ⊙ (1 - z) ⊙ δ, which is ∂L/∂a:

        ∂L/∂a_g = [z ⊙ (1 - z) ⊙ (h - h~) ⊙ δ; r ⊙ (1 - r) ⊙ h ⊙ Uᵀ β]
        ∂L/∂h   = z ⊙ δ + r ⊙ Uᵀ β + U_gᵀ ∂L/∂a_g
    """

    parts = (2, 1)
    residuals = 5

    def forward(
        self, recurrent: Sequence[Tensor], given: Sequence[Tensor], state: State
    ) -> tuple[State, list[Tensor]]:
        (h,) = state
        gates = ops.sigmoid(given[0] + ops.matmul(h, recurrent[0]))
        update, reset = ops.split(gates, 2, axis=-1)
        gated = reset * h
        candidate = ops.tanh(given[1] + ops.matmul(gated, recurrent[1]))
        new = candidate + update * (h - candidate)
        return (new,), [h, update, reset, gated, candidate]

    def backward(
        self, transposed: Sequence[Tensor], residual: Sequence[Tensor], by_state: State
    ) -> tuple[list[Tensor], State]:
        h, update, reset, _, candidate = residual
        (by_new,) = by_state
        kept = by_new * update
        by_candidate = tanh_gradient(candidate, by_new - kept)
        by_gated = ops.matmul(by_candidate, transposed[1])
        by_gates = ops.concatenate(
            [
                sigmoid_gradient(update, by_new * (h - candidate)),
                sigmoid_gradient(reset, by_gated * h),
            ],
            axis=-1,
        )
        by_h = kept + by_gated * reset + ops.matmul(by_gates, transposed[0])
        return [by_gates, by_candidate], (by_h,)

    def by_recurrent(
        self, residuals: Sequence[Tensor], by_given: Sequence[Tensor]
    ) -> list[Tensor]:
        h, _, _, gated, _ = residuals
        return [
            transposed_product(h, by_given[0]),
            transposed_product(gated, by_given[1]),
        ]


class LSTMSteps(CellSteps):
    """Steps of an LSTM.

        i, f, g, o = σ, σ, tanh, σ of a + U h
        c'         = f ⊙ c + i ⊙ g,  h' = o ⊙ tanh(c')

    With δ = ∂L/∂h' and γ = ∂L/∂c' + o ⊙ (1 - tanh² c') ⊙ δ:

        ∂L/∂a = [g ⊙ γ; c ⊙ γ; i ⊙ γ; tanh(c') ⊙ δ], each times the derivative of σ
                or tanh where it stands
        ∂L/∂h = Uᵀ ∂L/∂a,  ∂L/∂c = f ⊙ γ
    """

    parts = (4,)
    residuals = 7

    def forward(
        self, recurrent: Sequence[Tensor], given: Sequence[Tensor], state: State
    ) -> tuple[State, list[Tensor]]:
        h, c = state
        a = ops.split(given[0] + ops.matmul(h, recurrent[0]), 4, axis=-1)
        i, f, o = (ops.sigmoid(a[k]) for k in (0, 1, 3))
        g = ops.tanh(a[2])
        new = f * c + i * g
        told = ops.tanh(new)
        return (o * told, new), [h, c, i, f, g, o, told]

    def backward(
        self, transposed: Sequence[Tensor], residual: Sequence[Tensor], by_state: State
    ) -> tuple[list[Tensor], State]:
        _, c, i, f, g, o, told = residual
        by_h, by_c = by_state
        by_c = by_c + tanh_gradient(told, by_h * o)
        by_given = ops.concatenate(
            [
                sigmoid_gradient(i, by_c * g),
                sigmoid_gradient(f, by_c * c),
                tanh_gradient(g, by_c * i),
                sigmoid_gradient(o, by_h * told),
            ],
            axis=-1,
        )
        return [by_given], (ops.matmul(by_given, transposed[0]), by_c * f)

    def by_recurrent(
        self, residuals: Sequence[Tensor], by_given: Sequence[Tensor]
    ) -> list[Tensor]:
        return [transposed_product(residuals[0], by_given[0])]


STEPS: dict[str, CellSteps] = {"gru": GRUSteps(), "lstm": LSTMSteps()}
"""By the names of `new_cell`."""
