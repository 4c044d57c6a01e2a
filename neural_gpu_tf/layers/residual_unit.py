"""The residual unit, with and without a tape."""

from typing import Any, NamedTuple

import keras
from keras import ops

from neural_gpu_tf.layers.canvas_unit import CanvasUnit, Keep
from neural_gpu_tf.layers.convolutions import convolve
from neural_gpu_tf.layers.on_tape import OnTape
from neural_gpu_tf.types import Tensor


class ResidualKernels(NamedTuple):
    """Kernel of a residual unit's convolution of the canvas."""

    update: Tensor  # [kw, kn, m, m]: U


class ResidualTerms(NamedTuple):
    """What is added to the convolution: W * p on a canvas with a tape, else 0."""

    update: Tensor  # m


class ResidualUnitResidual(NamedTuple):
    """What a residual unit keeps for its gradient."""

    canvas: Tensor  # [batch, w, n, m]: s, before the unit


@keras.saving.register_keras_serializable("neural_gpu_tf")
class ResidualUnit(CanvasUnit):
    """Adds to the canvas a convolution of itself.

        s' = s + U * s

    (In place of the CGRU of Kaiser & Bengio 2016, "Can Active Memory Replace
    Attention?".) It is linear: n steps multiply what is on the canvas by powers of
    1 + U, so start with a small U.

    Args: as `CanvasUnit`.

    Input shape: canvas [batch, n, w, m]; active, 1 or 0 or bool, [batch or 1, n, w or
        1, 1], optional.
    Output shape: [batch, n, w, m]. A mask is passed on, not applied.

    Example:
        >>> layer = ResidualUnit(maps=24)
        >>> layer(keras.random.normal((32, 20, 4, 24))).shape
        (32, 20, 4, 24)
    """

    kernels_type = ResidualKernels
    terms_type = ResidualTerms
    residual_type = ResidualUnitResidual

    def build(self, input_shape: Any = None) -> None:
        self.check_canvas(input_shape)
        self.kernel = self.add_kernel("kernel")
        self.built = True

    @property
    def term_maps(self) -> tuple[int, ...]:
        return (self.maps,)

    def kernels(self) -> ResidualKernels:
        return ResidualKernels(self.kernel_by_rows(self.kernel))

    def biases(self) -> ResidualTerms:
        return ResidualTerms(ops.zeros((self.maps,), self.compute_dtype))

    def forward_step(
        self,
        kernels: ResidualKernels,
        terms: ResidualTerms,
        canvas: Tensor,
        active: Tensor,
        keep: Keep | None = None,
    ) -> tuple[Tensor, ResidualUnitResidual, Tensor | None]:
        update = convolve(canvas, kernels.update) + terms.update
        return canvas + active * update, ResidualUnitResidual(canvas), None

    def backward_step(
        self,
        adjoint: ResidualKernels,
        residual: ResidualUnitResidual,
        active: Tensor,
        gradient: Tensor,
        keep: Keep | None = None,
        d_saturation: Tensor | None = None,
    ) -> tuple[Tensor, ResidualTerms]:
        """By hand: of the term a g, of the canvas g + U' * (a g)."""
        d_term = active * gradient
        return gradient + convolve(d_term, adjoint.update), ResidualTerms(d_term)

    @staticmethod
    def convolved(residual: ResidualUnitResidual) -> tuple[Tensor, ...]:
        return residual


@keras.saving.register_keras_serializable("neural_gpu_tf")
class TapeResidualUnit(OnTape, ResidualUnit):
    """A residual unit conditioned on an output tape p: s' = s + U * s + W * p.

    Args: as `ResidualUnit`. W is `tape_kernel`.

    Input and output shape: as `TapeCGRU`.

    Example:
        >>> canvas, tape = np.ones((32, 20, 4, 24)), np.zeros((32, 20, 4, 24))
        >>> TapeResidualUnit(maps=24)(canvas, tape).shape
        (32, 20, 4, 24)
    """
