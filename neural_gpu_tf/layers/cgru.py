"""The convolutional gated recurrent unit."""

import math
import numbers
from typing import Any, NamedTuple

import keras
from keras import ops

from neural_gpu_tf.layers.canvas_unit import Keep
from neural_gpu_tf.layers.convolutions import convolve
from neural_gpu_tf.layers.gated_unit import GatedUnit, Kernels, Terms
from neural_gpu_tf.layers.gates import (
    cutoff_gate,
    cutoff_gate_complement,
    cutoff_gate_gradient,
)
from neural_gpu_tf.layers.operations import tanh_gradient
from neural_gpu_tf.types import Tensor


def _check_cutoff(cutoff: Any) -> None:
    """Raises ValueError unless it is a finite number, at least 1."""
    if not isinstance(cutoff, numbers.Real) or not 1 <= float(cutoff) < math.inf:
        raise ValueError(f"cutoff={cutoff!r}: must be a finite number, at least 1")


def _one_or_two(gate_bias: Any) -> Any:
    """A finite number, or a pair of them (in JSON a list); raises ValueError if not."""
    one = isinstance(gate_bias, numbers.Real)
    try:
        update, reset = (gate_bias, gate_bias) if one else gate_bias
        finite = math.isfinite(update) and math.isfinite(reset)
    except (TypeError, ValueError):
        finite = False
    if not finite:
        raise ValueError(f"gate_bias={gate_bias!r}: must be one finite number, or two")
    return gate_bias if one else (update, reset)


class CGRUResidual(NamedTuple):
    """What a CGRU keeps for its gradient; [batch, w, n, m] each."""

    canvas: Tensor  # s, before the unit
    change: Tensor  # a (1 - u): how much of a cell is new
    reset: Tensor  # r
    candidate: Tensor  # c = tanh(...)


@keras.saving.register_keras_serializable("neural_gpu_tf")
class CGRU(GatedUnit):
    """Convolutional gated recurrent unit on a canvas.

        CGRU(s) = u ⊙ s + (1 - u) ⊙ tanh(U * (r ⊙ s) + B)
        u       = σ'(U' * s + B')
        r       = σ'(U'' * s + B'')

    where * is a convolution with zero padding and stride 1 and σ' is
    `cutoff_gate`. U' and U'' are one kernel, so both gates are one convolution.
    (Kaiser & Sutskever 2016, "Neural GPUs Learn Algorithms", §2, eq. 1.)

    Where `active` is 0 a cell keeps its value: s + a (1 - u)(tanh(...) - s).

    Args:
        maps: m, the number of maps.
        kernel_size: (kn, kw), odd numbers: along the columns, along the width; or one
            number for both.
        cutoff: c of `cutoff_gate`; 1.2 as published, 1 for a plain sigmoid.
        gate_bias: the start of B' and B'', one number or (update, reset).
        kernel_initializer: of U, U' and U''.

    Input shape: canvas [batch, n, w, m]; active, 1 or 0 or bool, [batch or 1, n, w or
        1, 1], optional.
    Output shape: [batch, n, w, m]. A mask is passed on, not applied.

    Example:
        >>> layer = CGRU(maps=24)
        >>> layer(keras.random.normal((32, 20, 4, 24))).shape
        (32, 20, 4, 24)
    """

    def __init__(
        self,
        maps: int,
        kernel_size: int | tuple[int, int] = (3, 3),
        cutoff: float = 1.2,
        gate_bias: float | tuple[float, float] = 1.0,
        kernel_initializer: Any = "glorot_uniform",
        **kwargs: Any,
    ):
        super().__init__(maps, kernel_size, kernel_initializer, **kwargs)
        _check_cutoff(cutoff)
        self.cutoff = cutoff
        self.gate_bias = _one_or_two(gate_bias)

    residual_type = CGRUResidual

    @property
    def first_biases(self) -> tuple[float, float]:
        bias = self.gate_bias
        return bias if isinstance(bias, tuple) else (bias, bias)

    def forward_step(
        self,
        kernels: Kernels,
        terms: Terms,
        canvas: Tensor,
        active: Tensor,
        keep: Keep | None = None,
    ) -> tuple[Tensor, CGRUResidual, Tensor | None]:
        # Every operation is a pass over the memory: few of them, and few maps in each.
        update, reset = ops.split(
            convolve(canvas, kernels.gates) + terms.gates, 2, axis=-1
        )
        change = cutoff_gate_complement(update, active, self.cutoff)
        reset = cutoff_gate(reset, self.cutoff)
        candidate = ops.tanh(
            convolve(reset * canvas, kernels.candidate) + terms.candidate
        )
        new = canvas + change * (candidate - canvas)
        return new, CGRUResidual(canvas, change, reset, candidate), None

    def backward_step(
        self,
        adjoint: Kernels,
        residual: CGRUResidual,
        active: Tensor,
        gradient: Tensor,
        keep: Keep | None = None,
        d_saturation: Tensor | None = None,
    ) -> tuple[Tensor, Terms]:
        """The gradient of `forward_step`, by hand.

        With g the gradient of the result s', c the candidate, v = a (1 - u) the change,
        and x_c, x_u, x_r the arguments of tanh, σ' and σ':

            dc = v g                        dx_c = (1 - c²) dc
            du = (s - c) g                  dx_u = σ''(u) du
            dr = s ⊙ (U' * dx_c)            dx_r = σ''(r) dr
            ds = g - dc + r ⊙ (U' * dx_c) + [U'  U'']' * [dx_u  dx_r]

        where K' is the adjoint convolution (`transposed_kernel`). σ'' is the same of
        1 - u and of u, and 0 where v is 0, which is where cells are not active. The
        gradients of the terms are [dx_u dx_r] and dx_c.
        """
        canvas, change, reset, candidate = residual
        d_candidate = change * gradient
        d_candidate_term = tanh_gradient(candidate, d_candidate)
        d_reset_canvas = convolve(d_candidate_term, adjoint.candidate)
        d_update = (canvas - candidate) * gradient
        d_gates_term = ops.concatenate(
            [
                d_update * cutoff_gate_gradient(change, self.cutoff),
                d_reset_canvas * canvas * cutoff_gate_gradient(reset, self.cutoff),
            ],
            axis=-1,
        )
        d_canvas = (
            gradient
            - d_candidate
            + d_reset_canvas * reset
            + convolve(d_gates_term, adjoint.gates)
        )
        return d_canvas, Terms(d_gates_term, d_candidate_term)

    def get_config(self) -> dict:
        return {
            **super().get_config(),
            "cutoff": self.cutoff,
            "gate_bias": self.gate_bias,
        }
