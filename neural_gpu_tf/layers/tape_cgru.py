"""The CGRU that also sees a tape."""

from typing import Any

import keras
from keras import ops

from neural_gpu_tf.layers.cgru import CGRU, Terms
from neural_gpu_tf.layers.loops import as_tensor, convolve

Tensor = Any


@keras.saving.register_keras_serializable("neural_gpu_tf")
class TapeCGRU(CGRU):
    """CGRU conditioned on an output tape p, a canvas of its own.

        CGRU^d(s, p) = u ⊙ s + (1 - u) ⊙ tanh(U * (r ⊙ s) + W * p + B)
        u            = σ'(U' * s + W' * p + B')
        r            = σ'(U'' * s + W'' * p + B'')

    (Kaiser & Bengio 2016, "Can Active Memory Replace Attention?", §2.2.)

    The tape holds one vector a column, in row 0, and each step of the decoder adds
    one: p_{k+1}[k, 0] = E' o_k. W * p is linear in p, so it is accumulated rather than
    convolved anew: with centres cn = kn // 2 and cw = kw // 2, the vector v in column
    k adds

        (W * p)[k + cn - i, cw - j] += v W[i, j]

    for i < kn and j ≤ cw: kn columns and cw + 1 rows, whatever n and w
    (`contributions`, `write`). `call` convolves the whole tape, as the equation says.

    Args: as `CGRU`.

    Input shape: canvas and tape [batch, n, w, m]; active, optional.
    Output shape: [batch, n, w, m].
    """

    def build(self, canvas_shape: Any = None, tape_shape: Any = None) -> None:
        super().build(canvas_shape)
        m = self.maps
        self.tape_kernel = self.add_weight(
            shape=(*self.kernel_size, m, 3 * m),  # W', W'', W
            initializer=lambda shape, dtype: ops.concatenate(
                [self._draw(m, dtype) for _ in range(3)], axis=-1
            ),
            name="tape_kernel",
        )

    def call(
        self, canvas: Tensor, tape: Tensor, active: Tensor | None = None
    ) -> Tensor:
        active = 1.0 if active is None else active
        on_tape = convolve(tape, as_tensor(self.tape_kernel, self.compute_dtype))
        terms = Terms(
            *(
                bias + part
                for bias, part in zip(
                    self.biases(),
                    ops.split(on_tape, [2 * self.maps], axis=-1),
                    strict=True,
                )
            )
        )
        return self.forward(self.kernels(), terms, canvas, active)[0]

    def contributions(self, vectors: Tensor) -> Tensor:
        """v W[i, j], ordered by the column and the row that it is added to.

        Args:
            vectors: v, [..., m].

        Returns:
            [..., kn, cw + 1, 3m]: for columns k - cn … k + cn and rows 0 … cw.
        """
        rows = self.kernel_size[1] // 2 + 1
        kernel = as_tensor(self.tape_kernel, self.compute_dtype)[:, :rows]
        kernel = ops.flip(kernel, axis=(0, 1))  # [i, j] → column cn - i, row cw - j
        kernel = ops.reshape(ops.transpose(kernel, (2, 0, 1, 3)), (self.maps, -1))
        product = ops.matmul(ops.reshape(vectors, (-1, self.maps)), kernel)
        shape = (*ops.shape(vectors)[:-1], self.kernel_size[0], rows, 3 * self.maps)
        return ops.reshape(product, shape)

    @staticmethod
    def write(terms: Terms, contribution: Tensor, t: Tensor | int) -> Terms:
        """Adds column `t` of the tape to B + W * p.

        Args:
            terms: B + W * p, [batch, n, w, 2m] and [batch, n, w, m].
            contribution: `contributions` of the vector, [batch, kn, rows, 3m].
            t: the column.
        """
        where, exists = TapeCGRU._cells(terms.candidate, contribution, t)
        contribution = contribution * exists
        split = [2 * terms.candidate.shape[-1]]
        return Terms(
            *(
                ops.scatter_update(
                    term,
                    where,
                    ops.reshape(part, (-1, part.shape[-1])),
                    reduction="add",
                )
                for term, part in zip(
                    terms, ops.split(contribution, split, axis=-1), strict=True
                )
            )
        )

    @staticmethod
    def read(terms: Terms, like: Tensor, t: Tensor | int) -> Tensor:
        """The adjoint of `write`: what `write` adds to, [batch, kn, rows, 3m].

        Args:
            terms: [batch, n, w, 2m] and [batch, n, w, m].
            like: a contribution, for its shape.
            t: the column.
        """
        where, exists = TapeCGRU._cells(terms.candidate, like, t)
        n, w = ops.shape(terms.candidate)[1:3]
        flat = (where[:, 0] * n + where[:, 1]) * w + where[:, 2]
        parts = [
            ops.take(ops.reshape(term, (-1, term.shape[-1])), flat, axis=0)
            for term in terms
        ]
        return ops.reshape(ops.concatenate(parts, axis=-1), ops.shape(like)) * exists

    @staticmethod
    def _cells(
        canvas: Tensor, contribution: Tensor, t: Tensor | int
    ) -> tuple[Tensor, Tensor]:
        """Indices [batch·kn·rows, 3] around column t, and which are on the canvas."""
        batch, columns, width = ops.shape(canvas)[:3]
        kn, rows = contribution.shape[1:3]
        around = ops.arange(kn, dtype="int32") - kn // 2 + ops.cast(t, "int32")
        row = ops.arange(rows, dtype="int32")
        exists = ops.logical_and(around >= 0, around < columns)
        exists = ops.logical_and(exists[:, None], row < width)
        where = ops.meshgrid(
            ops.arange(batch, dtype="int32"),
            ops.clip(around, 0, columns - 1),
            ops.minimum(row, width - 1),
            indexing="ij",
        )
        where = ops.stack([ops.reshape(x, (-1,)) for x in where], axis=-1)
        return where, ops.cast(exists, contribution.dtype)[None, :, :, None]

    @staticmethod
    def without_tape(biases: Terms, canvas: Tensor) -> Terms:
        """B + W * 0, on the whole canvas: [batch, n, w, 2m] and [batch, n, w, m]."""
        cells = ops.shape(canvas)[:3]
        return Terms(*(ops.broadcast_to(b, (*cells, b.shape[0])) for b in biases))

    def compute_output_shape(self, input_shape: Any, *_: Any) -> Any:
        return input_shape
