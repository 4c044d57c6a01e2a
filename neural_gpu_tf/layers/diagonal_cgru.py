"""The diagonal convolutional gated recurrent unit."""

from typing import NamedTuple

import keras
from keras import ops

from neural_gpu_tf.layers.canvas_unit import Keep
from neural_gpu_tf.layers.convolutions import (
    convolve,
    convolve_each_map,
)
from neural_gpu_tf.layers.gated_unit import GatedUnit
from neural_gpu_tf.layers.operations import (
    excess,
    relu6_gradient,
    select_cells,
    sum_dtype,
)
from neural_gpu_tf.types import Tensor


class DiagonalKernels(NamedTuple):
    """Kernels [kw, kn, m, m] of the arguments 3x + 3 of ReLU6."""

    update: Tensor  # 3U'
    reset: Tensor  # 3U''
    candidate: Tensor  # U/2, of 6r ⊙ s


class DiagonalTerms(NamedTuple):
    """What is added to the convolutions, [m], or its gradients, [batch, w, n, m]."""

    update: Tensor  # 3B' + 3
    reset: Tensor  # 3B'' + 3
    candidate: Tensor  # 3B + 3


class DiagonalResidual(NamedTuple):
    """What a diagonal CGRU keeps for its gradient; [batch, w, n, m] each."""

    canvas: Tensor  # s
    update: Tensor  # 6u
    reset: Tensor  # 6r
    candidate: Tensor  # 3c + 3
    moved: Tensor  # (D(s) - d c)/6


def shift(canvas: Tensor, back: bool = False) -> Tensor:
    """Moves a third of the maps one column on, a third one column back.

        D(s)[k] = s[k] in the first maps, s[k - 1] in the next ⌊m/3⌋, s[k + 1] in the
        last ⌊m/3⌋

    with 0 beyond the edges. (Freivalds & Liepins 2017, §3, "diagonal gates".)

    Args:
        canvas: s, by rows, [batch, w, n, m].
        back: the adjoint, which moves the other way.
    """
    maps = canvas.shape[-1]
    third = maps // 3
    still = maps - 2 * third
    # A convolution of each map alone: half the time of slices put together again.
    taps = [
        [0.0] * still + [1.0] * third + [0.0] * third,
        [1.0] * still + [0.0] * third + [0.0] * third,
        [0.0] * still + [0.0] * third + [1.0] * third,
    ]
    kernel = ops.convert_to_tensor(taps[::-1] if back else taps, canvas.dtype)
    return convolve_each_map(canvas, kernel)


@keras.saving.register_keras_serializable("neural_gpu_tf")
class DiagonalCGRU(GatedUnit):
    """A CGRU with hard nonlinearities whose update gate also moves the canvas.

        DCGRU(s) = u ⊙ D(s) + (1 - u) ⊙ d ⊙ c
        c        = τ(U * (r ⊙ s) + B)            τ(x) = max(-1, min(1, x))
        u        = σ(U' * s + B')                σ(x) = max(0, min(1, (x + 1)/2))
        r        = σ(U'' * s + B'')

    D is `shift`, d the dropout of the candidate in training. (Freivalds & Liepins
    2017, "Improving the Neural GPU Architecture for Algorithm Learning", §3.)

    The *cost of saturation* of an example is Σ max(0, |x| - limit) over all its cells
    and all arguments x of σ and τ. It keeps the arguments where the hard
    nonlinearities have a slope.

    Args:
        maps: m, the number of maps.
        kernel_size: (kn, kw), odd numbers: along the columns, along the width.
        kernel_initializer: of U, U' and U''.

    Input shape: canvas [batch, n, w, m]; active, 1 or 0 or bool, [batch or 1, n, w or
        1, 1], optional.
    Output shape: [batch, n, w, m]. A mask is passed on, not applied.

    Example:
        >>> layer = DiagonalCGRU(maps=96, kernel_size=(3, 1))
        >>> layer(keras.random.normal((32, 41, 1, 96))).shape
        (32, 41, 1, 96)
    """

    kernels_type = DiagonalKernels
    terms_type = DiagonalTerms
    residual_type = DiagonalResidual
    drops_candidate = True
    saturates = True
    limit = 0.9

    @property
    def first_biases(self) -> tuple[float, float]:
        return 0.7, 0.5

    @property
    def term_maps(self) -> tuple[int, ...]:
        return (self.maps,) * 3

    def kernels(self) -> DiagonalKernels:
        gates, candidate = super().kernels()
        return DiagonalKernels(
            *ops.split(3.0 * gates, 2, axis=-1), candidate=0.5 * candidate
        )

    def biases(self) -> DiagonalTerms:
        gates, candidate = super().biases()
        return DiagonalTerms(
            *ops.split(3.0 * gates + 3.0, 2), candidate=3.0 * candidate + 3.0
        )

    def forward_step(
        self,
        kernels: DiagonalKernels,
        terms: DiagonalTerms,
        canvas: Tensor,
        active: Tensor,
        keep: Keep | None = None,
    ) -> tuple[Tensor, DiagonalResidual, Tensor]:
        """The equations of the class, with 6u, 6r and 3c + 3 in place of u, r and c.

        Each is ReLU6(3x + 3), whose gradient is one operation.
        """
        update_term = convolve(canvas, kernels.update) + terms.update
        reset_term = convolve(canvas, kernels.reset) + terms.reset
        update, reset = ops.relu6(update_term), ops.relu6(reset_term)
        candidate_term = convolve(reset * canvas, kernels.candidate) + terms.candidate
        candidate = ops.relu6(candidate_term)
        kept = (candidate - 3.0) * (1.0 / 3.0)
        if keep is not None:
            kept = self._dropped(candidate - 3.0, keep)
        moved = (shift(canvas) - kept) * (1.0 / 6.0)
        new = select_cells(active, kept + update * moved, canvas)
        dtype = sum_dtype(canvas)
        saturation = sum(
            ops.sum(ops.cast(ops.abs(self._excess(x)), dtype), axis=-1, keepdims=True)
            for x in (update_term, reset_term, candidate_term)
        )
        counted = ops.cast(active, dtype) * saturation
        saturation = ops.sum(counted, axis=(1, 2, 3)) * (1.0 / 3.0)
        residual = DiagonalResidual(canvas, update, reset, candidate, moved)
        return new, residual, saturation

    @staticmethod
    def _dropped(x: Tensor, keep: Keep) -> Tensor:
        """d x/3."""
        return ops.cast(keep.cells, x.dtype) * (x * ops.cast(keep.scale / 3.0, x.dtype))

    def _excess(self, x: Tensor) -> Tensor:
        """How far an argument 3x + 3 is beyond ±limit."""
        return excess(x, 3.0 - 3.0 * self.limit, 3.0 + 3.0 * self.limit)

    def backward_step(
        self,
        adjoint: DiagonalKernels,
        residual: DiagonalResidual,
        active: Tensor,
        gradient: Tensor,
        keep: Keep | None = None,
        d_saturation: Tensor | None = None,
    ) -> tuple[Tensor, DiagonalTerms]:
        """The gradient of `forward_step`, by hand.

        With g the gradient of the result, a the active cells, q that of the cost, y
        the argument 3x + 3 of each ReLU6 and ρ its slope, and |x| > limit read from
        the nonlinearity's value:

            dy_c = ρ(c) d a (1 - u) g/3          + a q sign(c) [|c| > limit]/3
            dy_u = ρ(u) a (D(s) - d c) g/6       + a q sign(2u - 1) [|2u - 1| > limit]/3
            dy_r = ρ(r) s ⊙ (U/2)' * dy_c        + a q sign(2r - 1) [|2r - 1| > limit]/3
            ds   = (1 - a) g + D'(a u g) + 6r ⊙ (U/2)' * dy_c
                   + (3U')' * dy_u + (3U'')' * dy_r

        where D' and K' are the adjoints of D and of the convolutions.
        """
        canvas, update, reset, candidate, moved = residual

        def of_term(value: Tensor, by_value: Tensor) -> Tensor:
            d_term = relu6_gradient(value, by_value)
            if d_saturation is None:
                return d_term
            weight = ops.cast(d_saturation * (1.0 / 3.0), value.dtype)
            weight = active * weight[:, None, None, None]
            return d_term + weight * ops.sign(self._excess(value))

        changed = active * gradient
        d_moved = changed * update * (1.0 / 6.0)
        d_kept = changed - d_moved
        if keep is None:
            d_candidate = d_kept * (1.0 / 3.0)
        else:
            d_candidate = self._dropped(d_kept, keep)
        d_candidate_term = of_term(candidate, d_candidate)
        d_reset_canvas = convolve(d_candidate_term, adjoint.candidate)
        d_update_term = of_term(update, changed * moved)
        d_reset_term = of_term(reset, d_reset_canvas * canvas)
        d_canvas = (
            gradient
            - changed
            + shift(d_moved, back=True)
            + d_reset_canvas * reset
            + convolve(d_update_term, adjoint.update)
            + convolve(d_reset_term, adjoint.reset)
        )
        return d_canvas, DiagonalTerms(d_update_term, d_reset_term, d_candidate_term)

    @staticmethod
    def convolved(residual: DiagonalResidual) -> tuple[Tensor, ...]:
        canvas, _, reset, *_ = residual
        return canvas, canvas, reset * canvas
