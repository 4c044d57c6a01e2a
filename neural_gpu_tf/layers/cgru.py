"""The convolutional gated recurrent unit."""

from typing import Any, NamedTuple

import keras
from keras import ops

from neural_gpu_tf.layers.canvas_unit import CanvasUnit
from neural_gpu_tf.layers.gates import cutoff_gate, cutoff_gate_gradient
from neural_gpu_tf.layers.loops import as_tensor, convolve, kernel_gradient
from neural_gpu_tf.types import Tensor


class Kernels(NamedTuple):
    """What a CGRU convolves the canvas with."""

    gates: Tensor  # [kw, kn, m, 2m]: U' (update), U'' (reset), side by side
    candidate: Tensor  # [kw, kn, m, m]: U


class Terms(NamedTuple):
    """What is added to the convolutions: B, or B + W * p on a canvas with a tape.

    Shapes are [m'] or [batch, w, n, m'].
    """

    gates: Tensor  # m' = 2m
    candidate: Tensor  # m' = m


class Record(NamedTuple):
    """What the gradient of a CGRU needs of its forward pass; [batch, w, n, ·] each."""

    canvas: Tensor  # m: s, before the unit
    gates: Tensor  # 2m: u, r
    candidate: Tensor  # m: tanh(...)


@keras.saving.register_keras_serializable("neural_gpu_tf")
class CGRU(CanvasUnit):
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
        kernel_size: (kn, kw), odd numbers: along the columns, along the width.
        cutoff: c of `cutoff_gate`; 1.2 as published, 1 for a plain sigmoid.
        gate_bias: the start of B' and B'', one number or (update, reset).
        kernel_initializer: of U, U' and U''.

    Input shape: canvas [batch, n, w, m]; active, optional, broadcastable to it.
    Output shape: [batch, n, w, m].

    Example:
        >>> layer = CGRU(maps=24)
        >>> layer(keras.random.normal((32, 20, 4, 24))).shape
        (32, 20, 4, 24)
    """

    kernels_type = Kernels
    terms_type = Terms
    record_type = Record

    def __init__(
        self,
        maps: int,
        kernel_size: tuple[int, int] = (3, 3),
        cutoff: float = 1.2,
        gate_bias: float | tuple[float, float] = 1.0,
        kernel_initializer: Any = "glorot_uniform",
        **kwargs: Any,
    ):
        super().__init__(maps, kernel_size, kernel_initializer, **kwargs)
        self.cutoff = cutoff
        self.gate_bias = gate_bias

    def build(self, input_shape: Any = None) -> None:
        m, bias = self.maps, self.gate_bias
        biases = bias if isinstance(bias, tuple) else (bias, bias)
        self.update_and_reset_kernel = self.add_weight(
            shape=(*self.kernel_size, m, 2 * m),
            initializer=lambda shape, dtype: self.draw_side_by_side(2, dtype),
            name="update_and_reset_kernel",
        )
        self.candidate_kernel = self.add_weight(
            shape=(*self.kernel_size, m, m),
            initializer=lambda shape, dtype: self.draw(m, dtype),
            name="candidate_kernel",
        )
        self.update_and_reset_bias = self.add_weight(
            shape=(2 * m,),
            initializer=lambda shape, dtype: ops.repeat(
                ops.convert_to_tensor(biases, dtype), m
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

    @property
    def record_maps(self) -> tuple[int, ...]:
        return self.maps, 2 * self.maps, self.maps

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

    def forward(
        self,
        kernels: Kernels,
        terms: Terms,
        canvas: Tensor,
        active: Tensor,
        keep: Tensor | None = None,
    ) -> tuple[Tensor, Record, Tensor | None]:
        gates = cutoff_gate(convolve(canvas, kernels.gates) + terms.gates, self.cutoff)
        update, reset = ops.split(gates, 2, axis=-1)
        candidate = ops.tanh(
            convolve(reset * canvas, kernels.candidate) + terms.candidate
        )
        new = canvas + active * (1.0 - update) * (candidate - canvas)
        return new, Record(canvas, gates, candidate), None

    def backward(
        self,
        adjoint: Kernels,
        record: Record,
        active: Tensor,
        gradient: Tensor,
        keep: Tensor | None = None,
        d_saturation: Tensor | None = None,
    ) -> tuple[Tensor, Terms]:
        """The gradient of `forward`, by hand.

        With g the gradient of the result s', a the active cells, c the candidate,
        and x_c, x_u, x_r the arguments of tanh, σ' and σ':

            dc = a (1 - u) g            dx_c = (1 - c²) dc
            du = a (s - c) g            dx_u = σ''(u) du
            dr = s ⊙ (U' * dx_c)        dx_r = σ''(r) dr
            ds = g - dc + r ⊙ (U' * dx_c) + [U'  U'']' * [dx_u  dx_r]

        where K' is the adjoint convolution (`transposed_kernel`). The gradients of the
        terms are [dx_u dx_r] and dx_c.
        """
        canvas, gates, candidate = record
        update, reset = ops.split(gates, 2, axis=-1)
        changed = active * gradient
        d_candidate = changed * (1.0 - update)
        d_update = changed * (canvas - candidate)
        d_candidate_term = d_candidate * (1.0 - candidate * candidate)
        d_reset_canvas = convolve(d_candidate_term, adjoint.candidate)
        d_gates = ops.concatenate([d_update, d_reset_canvas * canvas], axis=-1)
        d_gates_term = d_gates * cutoff_gate_gradient(gates, self.cutoff)
        d_canvas = (
            gradient
            - d_candidate
            + d_reset_canvas * reset
            + convolve(d_gates_term, adjoint.gates)
        )
        return d_canvas, Terms(d_gates_term, d_candidate_term)

    @staticmethod
    def weight_gradients(
        kernels: Kernels, record: Record, d_terms: Terms
    ) -> tuple[Tensor, ...]:
        """The gradients of kernels and biases, from those of the terms.

        [dU' dU''] correlates s with [dx_u dx_r], dU correlates r ⊙ s with dx_c, and a
        bias's gradient is the sum of its term's. All are sums over examples, so the
        steps of a loop may be one batch here.

        Returns:
            Of [U' U''], U, [B' B''] and B.
        """
        _, reset = ops.split(record.gates, 2, axis=-1)
        inputs = Kernels(record.canvas, reset * record.canvas)
        return (
            *(
                kernel_gradient(x, d_term, kernel)
                for x, d_term, kernel in zip(inputs, d_terms, kernels, strict=True)
            ),
            *(ops.sum(d_term, axis=(0, 1, 2)) for d_term in d_terms),
        )

    def get_config(self) -> dict:
        return {
            **super().get_config(),
            "cutoff": self.cutoff,
            "gate_bias": self.gate_bias,
        }
