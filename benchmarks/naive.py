"""A textbook Neural GPU in TensorFlow: what the package's speed is measured against.

It does what the equations say, one operation after another: a convolution for each
gate, the whole tape convolved at every step, TensorFlow's own gradient. It takes the
weights of the package's models, so it is also an oracle for their losses and gradients.
(Kaiser & Sutskever 2016; Kaiser & Bengio 2016.)
"""

from typing import NamedTuple

import keras
import tensorflow as tf


class Unit(NamedTuple):
    """The weights of one CGRU; those of the tape are None in an encoder."""

    U: tf.Variable  # noqa: E741
    U1: tf.Variable
    U2: tf.Variable
    B: tf.Variable
    B1: tf.Variable
    B2: tf.Variable
    W: tf.Variable | None = None
    W1: tf.Variable | None = None
    W2: tf.Variable | None = None


class Naive:
    """The Neural GPU, extended if `model` is, with a copy of its weights.

    All examples must be as large as the tensor: it has no masks.

    Args:
        model: a `NeuralGPU` or an `ExtendedNeuralGPU`.
    """

    def __init__(self, model: keras.Model):
        self.width = model.canvas.width
        self.cutoff = model.encoder.units[0].cutoff
        self.E = tf.Variable(model.source_embedding.embeddings)
        self.O = tf.Variable(model.readout.kernel)
        self.encoder = [_unit(unit) for unit in model.encoder.units]
        self.decoder = []
        if hasattr(model, "decoder"):
            self.E1 = tf.Variable(model.target_embedding.embeddings)
            self.decoder = [_unit(unit) for unit in model.decoder.units]

    @property
    def variables(self) -> list[tf.Variable]:
        """All weights: E, O, E' if extended, then those of the units."""
        ends = [self.E, self.O] + ([self.E1] if self.decoder else [])
        units = [v for unit in self.encoder + self.decoder for v in unit]
        return ends + [variable for variable in units if variable is not None]

    def logits(self, source: tf.Tensor, target: tf.Tensor) -> tf.Tensor:
        """Teacher-forced: [batch, n] symbols each → [batch, n, vocabulary]."""
        n = tf.shape(source)[1]
        rows = [[0, 0], [0, 0], [0, self.width - 1], [0, 0]]
        symbols = tf.cast(source != 0, tf.float32)[:, :, None, None]
        s = tf.pad(tf.gather(self.E, source)[:, :, None] * symbols, rows)
        for _ in tf.range(n):
            for unit in self.encoder:
                s = self._cgru(s, unit)
        if not self.decoder:
            return s[:, :, 0] @ self.O
        vectors = tf.pad(tf.gather(self.E1, target)[:, :, None], rows)
        tape = tf.zeros_like(s)
        outputs = tf.TensorArray(tf.float32, size=n)
        for t in tf.range(n):
            for unit in self.decoder:
                s = self._cgru(s, unit, tape)
            outputs = outputs.write(t, s[:, t, 0] @ self.O)
            column = tf.reshape(tf.one_hot(t, n), [1, -1, 1, 1])
            tape = tape + column * vectors
        return tf.transpose(outputs.stack(), [1, 0, 2])

    def loss(self, source: tf.Tensor, target: tf.Tensor) -> tf.Tensor:
        """The mean cross-entropy of a symbol."""
        return tf.reduce_mean(
            tf.nn.sparse_softmax_cross_entropy_with_logits(
                labels=target, logits=self.logits(source, target)
            )
        )

    def _cgru(self, s: tf.Tensor, k: Unit, p: tf.Tensor | None = None) -> tf.Tensor:
        def linear(x: tf.Tensor, U: tf.Tensor, W: tf.Tensor, B: tf.Tensor) -> tf.Tensor:
            y = tf.nn.conv2d(x, U, 1, "SAME") + B
            return y if p is None else y + tf.nn.conv2d(p, W, 1, "SAME")

        def gate(x: tf.Tensor) -> tf.Tensor:
            c = self.cutoff
            y = tf.sigmoid(x)
            return y if c == 1 else tf.clip_by_value(c * y - (c - 1) / 2, 0.0, 1.0)

        u = gate(linear(s, k.U1, k.W1, k.B1))
        r = gate(linear(s, k.U2, k.W2, k.B2))
        return u * s + (1 - u) * tf.tanh(linear(r * s, k.U, k.W, k.B))


def _unit(unit: keras.layers.Layer) -> Unit:
    """The weights of a `CGRU` or a `TapeCGRU`, each in a variable of its own."""
    U1, U2 = tf.split(tf.convert_to_tensor(unit.update_and_reset_kernel), 2, -1)
    B1, B2 = tf.split(tf.convert_to_tensor(unit.update_and_reset_bias), 2, -1)
    weights = [unit.candidate_kernel, U1, U2, unit.candidate_bias, B1, B2]
    if hasattr(unit, "tape_kernel"):
        W1, W2, W = tf.split(tf.convert_to_tensor(unit.tape_kernel), 3, -1)
        weights += [W, W1, W2]
    return Unit(*(tf.Variable(tf.convert_to_tensor(weight)) for weight in weights))
