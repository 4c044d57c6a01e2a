"""Mixin that adds an output tape to a unit."""

from collections.abc import Iterable
from typing import Any

import keras
from keras import ops

from neural_gpu_tf.layers.canvas import by_rows
from neural_gpu_tf.layers.canvas_unit import CanvasUnit
from neural_gpu_tf.layers.convolutions import convolve
from neural_gpu_tf.layers.operations import as_tensor
from neural_gpu_tf.types import Tensor


def check_units(
    owner: str, units: Any, kind: Any = CanvasUnit, on_tape: bool = False
) -> list[Any]:
    """The units as a list; raises ValueError if there is none, or one does not fit.

    Args:
        owner: whose units they are, for the message.
        units: one or several.
        kind: the class that all must be of.
        on_tape: whether they are to see a tape.
    """
    one = isinstance(units, keras.layers.Layer | str)
    units = [units] if one or not isinstance(units, Iterable) else list(units)
    if not units:
        raise ValueError(f"{owner}: needs a {kind.__name__} at least")
    for unit in units:
        if not isinstance(unit, kind):
            given = type(unit).__name__
            raise ValueError(f"{owner}: takes a {kind.__name__}, not {given}")
        if isinstance(unit, OnTape) != on_tape:
            wanted = "with a tape (TapeCGRU)" if on_tape else "without a tape"
            raise ValueError(f"{owner}: takes units {wanted}, not {unit.name}")
    return units


class OnTape(CanvasUnit):
    """A unit whose terms are B + W * p, p being an output tape, a canvas of its own.

    The tape holds one vector a column, in row 0, and each step of the decoder adds
    one: p_{k+1}[k, 0] = E' o_k. W * p is linear in p, so it is accumulated rather than
    convolved anew: with centres cn = kn // 2 and cw = kw // 2, the vector v in column
    k adds

        (W * p)[k + cn - i, cw - j] += v W[i, j]

    for i < kn and j ≤ cw: kn columns and cw + 1 rows, whatever n and w
    (`contributions`, `write`). `call` convolves the whole tape, as the equation says.

    A subclass inherits from this class first, then from the unit without a tape.

    Input shape: canvas and tape [batch, n, w, m]; active, 1 or 0 or bool, [batch or 1,
        n, w or 1, 1], optional.
    Output shape: [batch, n, w, m].

    Raises:
        ValueError: the tape has not as many columns and rows as the canvas.
    """

    def build(self, canvas_shape: Any = None, tape_shape: Any = None) -> None:
        super().build(canvas_shape)
        self.check_canvas(tape_shape)
        count = sum(self.term_maps) // self.maps
        self.tape_kernel = self.add_kernel("tape_kernel", count)

    def call(
        self, canvas: Tensor, tape: Tensor, active: Tensor | None = None
    ) -> Tensor:
        pairs = zip(canvas.shape[1:3], tape.shape[1:3], strict=True)
        if any(None not in pair and len(set(pair)) > 1 for pair in pairs):
            raise ValueError(
                f"{self.name}: a tape of shape {tuple(tape.shape)} for a canvas of "
                f"shape {tuple(canvas.shape)}; both have the same columns and width"
            )
        on_tape = convolve(by_rows(tape), self.kernel_by_rows(self.tape_kernel))
        parts = zip(self.biases(), self._by_term(on_tape), strict=True)
        terms = self.terms_type(*(bias + part for bias, part in parts))
        return self.on_columns(terms, canvas, active)

    def contributions(self, vectors: Tensor) -> Tensor:
        """v W[i, j], ordered by the column and the row that it is added to.

        Args:
            vectors: v, [..., m].

        Returns:
            [..., kn, cw + 1, Σ m']: for columns k - cn … k + cn and rows 0 … cw.
        """
        return self.spread(vectors, self.tape_matrix())

    def contribution(self, vector: Tensor, width: int) -> Tensor:
        """`contributions` of one vector of each example, where weights come anew.

        A product for each of the kernel's cells, in place of one with `tape_matrix`:
        to make that takes longer than to multiply a few vectors by it.

        Args:
            vector: v, [batch, m].
            width: w; rows that the canvas does not have are left out.

        Returns:
            [batch, kn, min(cw + 1, w), Σ m'].
        """
        kn, kw = self.kernel_size
        kernel = as_tensor(self.tape_kernel, self.compute_dtype)
        cells = ops.reshape(kernel, (kn * kw, *kernel.shape[2:]))
        rows = min(kw // 2 + 1, width)
        parts = [
            ops.matmul(vector, cells[i * kw + kw // 2 - row])
            for i in reversed(range(kn))
            for row in range(rows)
        ]
        shape = (-1, kn, rows, sum(self.term_maps))
        return ops.reshape(ops.concatenate(parts, axis=-1), shape)

    def tape_matrix(self) -> Tensor:
        """What a vector is multiplied by to give its contribution.

        W[i, j] for j ≤ cw, in the order of columns cn - i and rows cw - j:
        [m, kn (cw + 1) Σ m'].
        """
        rows = self.kernel_size[1] // 2 + 1
        kernel = as_tensor(self.tape_kernel, self.compute_dtype)[:, :rows]
        kernel = ops.flip(kernel, axis=(0, 1))
        return ops.reshape(ops.transpose(kernel, (2, 0, 1, 3)), (self.maps, -1))

    def spread(self, vectors: Tensor, matrix: Tensor) -> Tensor:
        """`contributions` by way of a given `tape_matrix`, whose rows may be others.

        Args:
            vectors: [..., d].
            matrix: [d, kn (cw + 1) Σ m'].
        """
        product = ops.matmul(ops.reshape(vectors, (-1, vectors.shape[-1])), matrix)
        shape = (
            *ops.shape(vectors)[:-1],
            self.kernel_size[0],
            self.kernel_size[1] // 2 + 1,
            sum(self.term_maps),
        )
        return ops.reshape(product, shape)

    def write(self, terms: Any, contribution: Tensor, t: Tensor | int) -> Any:
        """Adds column `t` of the tape to B + W * p.

        Args:
            terms: B + W * p, by rows, [batch, w, n, m'] each.
            contribution: `contributions` of the vector, [batch, kn, rows, Σ m'].
            t: the column.
        """
        where, inside = self._cells(terms[-1], contribution, t)
        parts = zip(terms, self._by_term(contribution * inside), strict=True)
        return self.terms_type(
            *(
                ops.scatter_update(
                    term,
                    where,
                    ops.reshape(part, (-1, part.shape[-1])),
                    reduction="add",
                )
                for term, part in parts
            )
        )

    def write_before(self, terms: Any, contributions: Tensor, t: Tensor | int) -> Any:
        """`write` of the columns before column t, in their order, at once.

        Args:
            terms: as for `write`.
            contributions: of all columns, [n, batch, kn, rows, Σ m'].
            t: the number of columns.
        """
        width, columns = ops.shape(terms[0])[1:3]
        kn = contributions.shape[2]
        written = ops.arange(columns, dtype="int32") < t
        written = ops.cast(written, contributions.dtype)[:, None, None, None, None]
        added = ops.transpose(contributions * written, (1, 0, 2, 3, 4))
        added = ops.pad(added, [[0, 0], [kn // 2, kn // 2], [0, 0], [0, 0], [0, 0]])
        for i in reversed(range(kn)):
            # What column k adds to column k + i - kn // 2; the first column first.
            first = kn - 1 - i
            part = by_rows(added[:, first : first + columns, i, :width])
            rest = width - ops.shape(part)[1]
            part = ops.pad(part, [[0, 0], [0, rest], [0, 0], [0, 0]])
            parts = zip(terms, self._by_term(part), strict=True)
            terms = self.terms_type(*(term + more for term, more in parts))
        return terms

    @staticmethod
    def read(terms: Any, like: Tensor, t: Tensor | int) -> Tensor:
        """The adjoint of `write`: what `write` adds to, [batch, kn, rows, Σ m'].

        Args:
            terms: [batch, w, n, m'] each.
            like: a contribution, for its shape.
            t: the column.
        """
        where, inside = OnTape._cells(terms[-1], like, t)
        w, n = ops.shape(terms[-1])[1:3]
        flat = (where[:, 0] * w + where[:, 1]) * n + where[:, 2]
        parts = [
            ops.take(ops.reshape(term, (-1, term.shape[-1])), flat, axis=0)
            for term in terms
        ]
        return ops.reshape(ops.concatenate(parts, axis=-1), ops.shape(like)) * inside

    def _by_term(self, side_by_side: Tensor) -> list[Tensor]:
        """[..., Σ m'] cut into the maps of each term."""
        ends = [sum(self.term_maps[:i]) for i in range(1, len(self.term_maps))]
        return ops.split(side_by_side, ends, axis=-1) if ends else [side_by_side]

    @staticmethod
    def _cells(
        canvas: Tensor, contribution: Tensor, t: Tensor | int
    ) -> tuple[Tensor, Tensor]:
        """Indices [batch·kn·rows, 3] around column t, and which are on the canvas."""
        batch, width, columns = ops.shape(canvas)[:3]
        kn, rows = contribution.shape[1:3]
        around = ops.arange(kn, dtype="int32") - kn // 2 + ops.cast(t, "int32")
        row = ops.arange(rows, dtype="int32")
        inside = ops.logical_and(around >= 0, around < columns)
        inside = ops.logical_and(inside[:, None], row < width)
        example, column, row = ops.meshgrid(
            ops.arange(batch, dtype="int32"),
            ops.clip(around, 0, columns - 1),
            ops.minimum(row, width - 1),
            indexing="ij",
        )
        where = [ops.reshape(x, (-1,)) for x in (example, row, column)]
        where = ops.stack(where, axis=-1)
        return where, ops.cast(inside, contribution.dtype)[None, :, :, None]

    def without_tape(self, biases: Any, canvas: Tensor) -> Any:
        """B + W * 0, on the whole canvas by rows: [batch, w, n, m'] each."""
        cells = ops.shape(canvas)[:3]
        return self.terms_type(
            *(ops.broadcast_to(b, (*cells, b.shape[0])) for b in biases)
        )
