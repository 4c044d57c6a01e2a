"""The decoder's loops against its steps one by one, and the backend's gradient."""

import numpy as np
import oracles
import pytest
import tensorflow as tf
from keras import ops

from neural_gpu_tf.layers.recurrent_decoder import RecurrentDecoder
from neural_gpu_tf.layers.recurrent_state import Reading

BATCH, LENGTH, ROWS, SIZE, WIDTH, UNITS = 3, 4, 5, 2, 6, 3
RNG = np.random.default_rng(0)


def random(*shape):
    return tf.constant(RNG.standard_normal(shape))


VECTORS, MEMORY = random(BATCH, LENGTH, SIZE), random(BATCH, ROWS, WIDTH)
STATES = [[random(BATCH, UNITS) for _ in range(2)] for _ in range(3)]
EXISTS = tf.cast([[1, 1, 1, 1, 1], [0, 1, 0, 1, 0], [0, 0, 0, 0, 0]], tf.bool)
UPSTREAM = [random(BATCH, LENGTH, size) for size in (UNITS, WIDTH, ROWS)]
SEED = tf.constant([11, 5])
CASES = [
    ("gru", 1, "additive", "softmax"),
    ("gru", 3, "additive", "softmax"),
    ("lstm", 2, "additive", "softmax"),
    ("gru", 2, "dot", "softmax"),
    ("gru", 1, "state", "softmax"),
    ("lstm", 2, "state", "sigmoid"),
    ("gru", 2, None, "softmax"),
    ("lstm", 1, None, "softmax"),
]
cases = pytest.mark.parametrize("cell, layers, score, scoring", CASES)


def decoder(cell, layers, score, scoring, dropout=0.0, dtype="float64"):
    layer = RecurrentDecoder(
        UNITS,
        4,
        layers=layers,
        cell=cell,
        attention_score=score,
        attention_scoring=scoring,
        dropout=dropout,
        dtype=dtype,
    )
    layer.build((None, None, SIZE), rows_shape=(None, ROWS, WIDTH))
    return oracles.randomize(layer)


def start(layer, memory, states):
    count = 1 + (layer.cell == "lstm")
    states = [tuple(state[:count]) for state in states[: layer.depth]]
    return layer.start(states, memory, np.full(BATCH, LENGTH, "int32"), EXISTS)


def one_by_one(layer, vectors, state, seed):
    """The plain path: Keras's cells and attention's `read`, step by step."""
    cells, seen = state.cells, []
    for t in range(LENGTH):
        given = state.memory, vectors[:, t], layer._drop(seed, t), layer.cells
        cells, reading = layer._advance(cells, *given)
        seen.append(reading)
    some = [x for x in zip(*seen, strict=True) if x[0] is not None]
    return Reading(*(ops.stack(x, axis=1) for x in some), *[None] * (3 - len(some)))


def in_training(layer, vectors, state, seed):
    return layer.run(vectors, state, seed, training=True)


def without_training(layer, vectors, state, seed):
    return layer.run(vectors, state, seed)


def found(function, layer, seed=None, upstream=UPSTREAM):
    """What is read, and the gradients of weights, vectors, memory and states."""
    weights = [
        v.value for v in layer.trainable_variables if "maxout" not in v.path
    ]  # the readout is no part of the loops
    states = [list(state) for state in STATES]
    flat = [x for state in states for x in state]
    with tf.GradientTape() as tape:
        tape.watch([VECTORS, MEMORY, *flat])
        told = function(layer, VECTORS, start(layer, MEMORY, states), seed)
        told = [x for x in told if x is not None]
        loss = sum(ops.sum(x * y) for x, y in zip(told, upstream, strict=False))
    gradients = tape.gradient(
        loss,
        [VECTORS, MEMORY, *flat, *weights],
        unconnected_gradients=tf.UnconnectedGradients.ZERO,
    )
    return told + gradients


@cases
@pytest.mark.parametrize("dropout", [0.0, 0.4])
def test_the_loops_are_the_steps_and_their_gradient_autodiff(
    cell, layers, score, scoring, dropout
):
    layer = decoder(cell, layers, score, scoring, dropout)
    seed = SEED if dropout else None
    expected = found(one_by_one, layer, seed)
    for function in (in_training, without_training):
        for one, other in zip(found(function, layer, seed), expected, strict=True):
            assert one.dtype == "float64"
            np.testing.assert_allclose(one, other, atol=1e-12)


def test_a_gradient_of_the_contexts_alone():
    layer = decoder(*CASES[0])
    upstream = [0 * UPSTREAM[0], UPSTREAM[1], 0 * UPSTREAM[2]]
    expected = found(one_by_one, layer, upstream=upstream)
    values = found(in_training, layer, upstream=upstream)
    for one, other in zip(values, expected, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-12)


@pytest.mark.parametrize("case", [CASES[1], CASES[3], CASES[6]])
def test_a_graph_of_unknown_sizes(case):
    layer = decoder(*case)
    weights = [v.value for v in layer.trainable_variables]

    def gradients(vectors, memory, exists, state, training):
        with tf.GradientTape() as tape:
            tape.watch([vectors, memory, state])
            starts = [(state,)] * layer.depth
            size = tf.fill([tf.shape(vectors)[0]], tf.shape(vectors)[1])
            loss = ops.sum(
                layer(vectors, starts, memory, size, exists, training=training) ** 2
            )
        inputs = [vectors, memory, state, *weights]
        zero = tf.UnconnectedGradients.ZERO
        return loss, *tape.gradient(loss, inputs, unconnected_gradients=zero)

    traced = tf.function(
        lambda *x: gradients(*x, training=True),
        input_signature=[
            tf.TensorSpec([None, None, SIZE], tf.float64),
            tf.TensorSpec([None, None, WIDTH], tf.float64),
            tf.TensorSpec([None, None], tf.bool),
            tf.TensorSpec([None, UNITS], tf.float64),
        ],
    )
    for rows, columns, length in ((3, 4, 5), (1, 2, 3), (2, 1, 1)):
        given = (
            VECTORS[:rows, :columns],
            MEMORY[:rows, :length],
            EXISTS[:rows, :length],
            STATES[0][0][:rows],
        )
        expected = gradients(*given, training=False)
        for one, other in zip(traced(*given), expected, strict=True):
            np.testing.assert_allclose(one, other, atol=1e-12)


@pytest.mark.parametrize("score", ["additive", "dot"])
def test_mixed_bfloat16(score):
    """Within the precision of what is computed in bfloat16."""
    layer = decoder("gru", 2, score, "softmax", dtype="mixed_bfloat16")
    weights = [v.value for v in layer.trainable_variables]
    given = [tf.cast(x, tf.bfloat16) for x in (VECTORS, MEMORY)]
    starts = [(tf.cast(state[0], tf.bfloat16),) for state in STATES[:2]]
    sides = []
    for training in (True, False):
        with tf.GradientTape() as tape:
            readouts = layer(
                given[0], starts, given[1], np.full(BATCH, 4), EXISTS, training=training
            )
            loss = ops.sum(ops.cast(readouts, "float32") ** 2)
        sides.append([loss, *tape.gradient(loss, weights)])
    for one, other in zip(*sides, strict=True):
        assert one.dtype == "float32"
        np.testing.assert_allclose(one, other, atol=0.06 * np.abs(other).max())
