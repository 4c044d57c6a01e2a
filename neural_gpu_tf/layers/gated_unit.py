"""Base of the units with an update gate and a reset gate."""

import abc
from collections.abc import Sequence
from typing import Any, NamedTuple

from keras import ops

from neural_gpu_tf.layers.canvas_unit import CanvasUnit
from neural_gpu_tf.layers.operations import as_tensor
from neural_gpu_tf.types import Tensor


class Kernels(NamedTuple):
    """Kernels of a CGRU's convolutions of the canvas."""

    gates: Tensor  # [kw, kn, m, 2m]: U' (update), U'' (reset), side by side
    candidate: Tensor  # [kw, kn, m, m]: U


class Terms(NamedTuple):
    """What is added to the convolutions: B, or B + W * p on a canvas with a tape.

    Shapes are [m'] or [batch, w, n, m'].
    """

    gates: Tensor  # m' = 2m
    candidate: Tensor  # m' = m


class GatedUnit(CanvasUnit):
    """A unit with the weights of a CGRU: U', U'' and U, B', B'' and B.

    U' and U'' are one kernel, so both gates are one convolution.

    Input shape: canvas [batch, n, w, m]; active, 1 or 0 or bool, [batch or 1, n, w or
        1, 1], optional.
    Output shape: [batch, n, w, m].
    """

    kernels_type: type = Kernels
    terms_type: type = Terms

    @property
    @abc.abstractmethod
    def first_biases(self) -> tuple[float, float]:
        """The start of B' (update) and B'' (reset)."""

    def build(self, input_shape: Any = None) -> None:
        self.check_canvas(input_shape)
        m = self.maps
        self.update_and_reset_kernel = self.add_kernel("update_and_reset_kernel", 2)
        self.candidate_kernel = self.add_kernel("candidate_kernel")
        self.update_and_reset_bias = self.add_weight(
            shape=(2 * m,),
            initializer=lambda shape, dtype: ops.repeat(
                ops.convert_to_tensor(self.first_biases, dtype), m
            ),
            name="update_and_reset_bias",
        )
        self.candidate_bias = self.add_weight(
            shape=(m,), initializer="zeros", name="candidate_bias"
        )
        self.built = True

    @property
    def term_maps(self) -> tuple[int, ...]:
        return 2 * self.maps, self.maps

    def kernels(self) -> Kernels:
        """U', U'' and U as tensors, by rows."""
        return Kernels(
            self.kernel_by_rows(self.update_and_reset_kernel),
            self.kernel_by_rows(self.candidate_kernel),
        )

    def biases(self) -> Terms:
        """B', B'' and B as tensors."""
        return Terms(
            as_tensor(self.update_and_reset_bias, self.compute_dtype),
            as_tensor(self.candidate_bias, self.compute_dtype),
        )

    @staticmethod
    def convolved(residual: Any) -> Sequence[Tensor]:
        """s for the gates, r ⊙ s for the candidate."""
        return residual.canvas, residual.reset * residual.canvas
