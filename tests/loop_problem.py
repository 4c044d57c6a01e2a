"""A loop of active memory, and the same in plain calls of its units."""

import numpy as np
import oracles
import tensorflow as tf

from neural_gpu_tf.layers import (
    DiagonalCGRU,
    TapeCGRU,
    TapeResidualUnit,
    active_memory,
)
from neural_gpu_tf.layers.canvas import active_cells, by_rows, column_mask
from neural_gpu_tf.layers.canvas_unit import Keep
from neural_gpu_tf.layers.dropout_masks import dropout_mask, kept_cells

SIZES = [5, 2, 1]
N, M = 5, 3


class Problem:
    """A loop, its inputs, and a scalar function of what it returns."""

    def __init__(
        self, unit, width, kernel_size, cutoff, layers, dtype="float64", relaxations=1
    ):
        rng = np.random.default_rng(7)
        self.relaxations = relaxations
        self.units = []
        for i in range(relaxations * layers):
            own = {} if cutoff is None else {"cutoff": cutoff}
            layer = unit(M, kernel_size=kernel_size, dtype=dtype, **own)
            layer.build()
            self.units.append(oracles.randomize(layer, seed=i))
        self.size = tf.constant(SIZES)
        canvas = oracles.ragged_canvas(SIZES, N, width, M, dtype=dtype)
        vectors = rng.standard_normal((len(SIZES), N, M))
        self.canvas = tf.Variable(canvas, dtype=dtype)
        on_tape = unit in (TapeCGRU, TapeResidualUnit)
        self.vectors = tf.Variable(vectors, dtype=dtype) if on_tape else None
        self.inputs = [self.canvas] + [self.vectors] * on_tape
        weights = [weight.value for u in self.units for weight in u.trainable_weights]
        self.variables = self.inputs + weights
        self.on_canvas = tf.constant(rng.standard_normal(canvas.shape), dtype)
        self.on_readouts = tf.constant(rng.standard_normal(vectors.shape), dtype)
        self.on_costs = tf.constant(rng.standard_normal(len(SIZES)), dtype)

    def run(self, **options):
        vectors = None if self.vectors is None else tf.convert_to_tensor(self.vectors)
        return active_memory.run(
            self.units,
            tf.convert_to_tensor(self.canvas),
            self.size,
            vectors,
            relaxations=self.relaxations,
            **options,
        )

    def naive(self, dropout=None, seed=None):
        """The same, in plain calls of the units and with the whole tape."""
        canvas = tf.convert_to_tensor(self.canvas)
        tape = tf.zeros_like(canvas)
        readouts, cost = [], tf.zeros(len(SIZES), canvas.dtype)
        for t in range(N):
            active = active_cells(column_mask(self.size, N, canvas.dtype), self.size, t)
            if seed is not None and not self.units[0].drops_candidate:
                drawn = dropout_mask(by_rows(canvas), dropout, seed, t)
                kept = canvas * by_rows(drawn)
                canvas = tf.where(active > 0, kept, canvas)
            layers, turn = len(self.units) // self.relaxations, t % self.relaxations
            units = self.units[turn * layers : (turn + 1) * layers]
            for i, unit in enumerate(units):
                tapes = [] if self.vectors is None else [tape]
                if not isinstance(unit, DiagonalCGRU):
                    canvas = unit(canvas, *tapes, active=active)
                    continue
                keep = None
                if seed is not None:
                    step = t * layers + i
                    cells = kept_cells(by_rows(canvas), dropout, seed, step)
                    keep = Keep(cells, 1 / (1 - tf.constant(dropout)))
                canvas, _, added = unit.forward_step(
                    unit.kernels(),
                    unit.biases(),
                    by_rows(canvas),
                    by_rows(active),
                    keep,
                )
                canvas = by_rows(canvas)
                cost += added
            readouts.append(canvas[:, t, 0])
            if self.vectors is not None:
                column = tf.reshape(tf.one_hot(t, N, dtype=tape.dtype), (1, N, 1, 1))
                row = tf.reshape(
                    tf.one_hot(0, tape.shape[2], dtype=tape.dtype), (1, 1, -1, 1)
                )
                tape += column * row * self.vectors[:, t, None, None]
        return canvas, tf.stack(readouts, axis=1), cost

    def loss(self, outputs):
        on = [self.on_canvas, self.on_readouts, self.on_costs]
        return sum(tf.reduce_sum(x * y) for x, y in zip(outputs, on, strict=True))

    def gradients(self, run):
        with tf.GradientTape() as recording:
            loss = self.loss(run())
        return recording.gradient(loss, self.variables)

    def slope(self, loss, index, direction, h):
        """(f(x + h d) - f(x - h d)) / 2h along `direction` of one variable."""
        variable = self.variables[index]
        start = variable.numpy()
        values = []
        for side in (h, -h):
            variable.assign(start + side * direction)
            values.append(float(loss()))
        variable.assign(start)
        return (values[0] - values[1]) / (2 * h)
