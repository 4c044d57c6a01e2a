"""The diagonal convolutional gated recurrent unit."""

import keras
from keras import ops

from neural_gpu_tf.layers.gated_unit import GatedUnit, Kernels, Residual, Terms
from neural_gpu_tf.layers.gates import (
    beyond,
    hard_sigmoid,
    hard_sigmoid_gradient,
    hard_tanh,
    hard_tanh_gradient,
    outside,
)
from neural_gpu_tf.layers.loops import convolve
from neural_gpu_tf.types import Tensor


def shift(canvas: Tensor, back: bool = False) -> Tensor:
    """Moves a third of the maps one column on, a third one column back.

        D(s)[k] = s[k] in the first maps, s[k - 1] in the next ⌊m/3⌋, s[k + 1] in the
        last ⌊m/3⌋

    with 0 beyond the edges. (Freivalds & Liepins 2017, §3, "diagonal gates".)

    Args:
        canvas: s, by rows, [batch, w, n, m].
        back: the adjoint, which moves the other way.
    """
    third = canvas.shape[-1] // 3
    still, on, off = ops.split(
        canvas, [canvas.shape[-1] - 2 * third, canvas.shape[-1] - third], axis=-1
    )
    if back:
        on, off = off, on
    on = ops.pad(on[:, :, :-1], [[0, 0], [0, 0], [1, 0], [0, 0]])
    off = ops.pad(off[:, :, 1:], [[0, 0], [0, 0], [0, 1], [0, 0]])
    return ops.concatenate([still, *((off, on) if back else (on, off))], axis=-1)


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

    Input shape: canvas [batch, n, w, m]; active, optional, broadcastable to it.
    Output shape: [batch, n, w, m].

    Example:
        >>> layer = DiagonalCGRU(maps=96, kernel_size=(3, 1))
        >>> layer(keras.random.normal((32, 41, 1, 96))).shape
        (32, 41, 1, 96)
    """

    drops_candidate = True
    saturates = True
    limit = 0.9

    @property
    def first_biases(self) -> tuple[float, float]:
        return 0.7, 0.5

    def forward(
        self,
        kernels: Kernels,
        terms: Terms,
        canvas: Tensor,
        active: Tensor,
        keep: Tensor | None = None,
    ) -> tuple[Tensor, Residual, Tensor]:
        gates_term = convolve(canvas, kernels.gates) + terms.gates
        gates = hard_sigmoid(gates_term)
        update, reset = ops.split(gates, 2, axis=-1)
        candidate_term = convolve(reset * canvas, kernels.candidate) + terms.candidate
        candidate = hard_tanh(candidate_term)
        kept = candidate if keep is None else keep * candidate
        moved = shift(canvas)
        new = canvas + active * (kept + update * (moved - kept) - canvas)
        excess = sum(
            ops.sum(beyond(term, self.limit), axis=-1, keepdims=True)
            for term in (gates_term, candidate_term)
        )
        saturation = ops.sum(active * excess, axis=(1, 2, 3))
        return new, Residual(canvas, gates, candidate), saturation

    def backward(
        self,
        adjoint: Kernels,
        residual: Residual,
        active: Tensor,
        gradient: Tensor,
        keep: Tensor | None = None,
        d_saturation: Tensor | None = None,
    ) -> tuple[Tensor, Terms]:
        """The gradient of `forward`, by hand.

        With g the gradient of the result, a the active cells, q that of the cost, and
        |x| > limit read from the nonlinearity's value:

            dx_c = τ'(c) d a (1 - u) g           + a q sign(c) [|c| > limit]
            dx_u = σ'(u) a (D(s) - d c) g        + a q sign(2u - 1) [|2u - 1| > limit]
            dx_r = σ'(r) s ⊙ (U' * dx_c)         + a q sign(2r - 1) [|2r - 1| > limit]
            ds   = (1 - a) g + D'(a u g) + r ⊙ (U' * dx_c) + [U' U'']' * [dx_u dx_r]

        where D' and K' are the adjoints of D and of the convolutions.
        """
        canvas, gates, candidate = residual
        update, reset = ops.split(gates, 2, axis=-1)
        changed = active * gradient
        kept = candidate if keep is None else keep * candidate
        d_candidate = changed * (1.0 - update)
        if keep is not None:
            d_candidate = keep * d_candidate
        d_candidate_term = d_candidate * hard_tanh_gradient(candidate)
        d_update = changed * (shift(canvas) - kept)
        if d_saturation is not None:
            weight = active * d_saturation[:, None, None, None]
            d_candidate_term += weight * outside(candidate, -self.limit, self.limit)
        d_reset_canvas = convolve(d_candidate_term, adjoint.candidate)
        d_gates = ops.concatenate([d_update, d_reset_canvas * canvas], axis=-1)
        d_gates_term = d_gates * hard_sigmoid_gradient(gates)
        if d_saturation is not None:
            low, high = (1.0 - self.limit) / 2.0, (1.0 + self.limit) / 2.0
            d_gates_term += weight * outside(gates, low, high)
        d_canvas = (
            gradient
            - changed
            + shift(changed * update, back=True)
            + d_reset_canvas * reset
            + convolve(d_gates_term, adjoint.gates)
        )
        return d_canvas, Terms(d_gates_term, d_candidate_term)
