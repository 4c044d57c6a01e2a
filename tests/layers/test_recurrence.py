"""The loops of recurrent layers against Keras's own, and the backend's gradient."""

import keras
import numpy as np
import oracles
import pytest
import tensorflow as tf
from keras import ops

from neural_gpu_tf.layers.cell_steps import STEPS
from neural_gpu_tf.layers.maxout import maxout
from neural_gpu_tf.layers.recurrence import by_steps, recur_cell
from neural_gpu_tf.layers.recurrent_cells import new_cell, state_tensors

BATCH, LENGTH, SIZE, UNITS = 3, 5, 4, 2
EXISTS = np.array([[1, 1, 1, 1, 1], [0, 1, 0, 1, 0], [0, 0, 0, 0, 0]], bool)
RNG = np.random.default_rng(0)
VECTORS = tf.constant(RNG.standard_normal((BATCH, LENGTH, SIZE)))
STARTS = [tf.constant(RNG.standard_normal((BATCH, UNITS))) for _ in range(2)]
UPSTREAM = [
    tf.constant(RNG.standard_normal(shape))
    for shape in ((BATCH, LENGTH, UNITS), (BATCH, UNITS), (BATCH, UNITS))
]
cells = pytest.mark.parametrize("cell", ["gru", "lstm"])


def keras_layer(cell, reverse):
    """Keras's layer of our cell: weights in float64."""
    layer = keras.layers.RNN(
        new_cell(cell, UNITS, dtype="float64"),
        return_sequences=True,
        return_state=True,
        go_backwards=reverse,
        dtype="float64",
    )
    layer.build((None, None, SIZE))
    return oracles.randomize(layer)


def by_keras(layer, vectors, starts, mask):
    outputs, *last = layer(vectors, mask=mask, initial_state=list(starts))
    return [ops.flip(outputs, axis=1) if layer.go_backwards else outputs, *last]


def by_hand(layer, vectors, starts, mask, training=True):
    exists = None if mask is None else by_steps(mask)[:, :, None]
    kind = "gru" if len(starts) == 1 else "lstm"
    outputs, last = recur_cell(
        STEPS[kind],
        layer.cell,
        by_steps(vectors),
        starts,
        exists,
        layer.go_backwards,
        training,
    )
    return [by_steps(outputs), *last]


def found(function, layer, cell, mask, **options):
    """h where a step exists, the last state, and the gradients of everything."""
    starts = STARTS[: state_tensors(cell)]
    weights = [v.value for v in layer.trainable_variables]
    with tf.GradientTape() as tape:
        tape.watch([VECTORS, *starts])
        outputs, *last = function(layer, VECTORS, starts, mask, **options)
        if mask is not None:  # what is said where no step is is not asked for
            outputs = ops.where(mask[:, :, None], outputs, 0.0)
        told = [outputs, *last]
        loss = sum(ops.sum(x * y) for x, y in zip(told, UPSTREAM, strict=False))
    return told + tape.gradient(loss, [VECTORS, *starts, *weights])


@cells
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("masked", [False, True])
def test_it_is_keras_and_its_gradient_autodiff(cell, reverse, masked):
    layer = keras_layer(cell, reverse)
    mask = tf.constant(EXISTS) if masked else None
    expected = found(by_keras, layer, cell, mask)
    for training in (True, False):
        values = found(by_hand, layer, cell, mask, training=training)
        for one, other in zip(values, expected, strict=True):
            assert one.dtype == "float64"
            np.testing.assert_allclose(one, other, atol=1e-12)


@cells
def test_a_graph_of_unknown_sizes(cell):
    layer = keras_layer(cell, False)
    layer.cell.dtype_policy = keras.dtype_policies.get("float64")

    @tf.function(
        input_signature=[
            tf.TensorSpec([None, None, SIZE], tf.float64),
            tf.TensorSpec([None, None], tf.bool),
            tf.TensorSpec([None, UNITS], tf.float64),
        ],
        autograph=False,
    )
    def traced(vectors, mask, start):
        starts = [start] * state_tensors(cell)
        with tf.GradientTape() as tape:
            tape.watch(vectors)
            loss = ops.sum(by_hand(layer, vectors, starts, mask)[0] ** 2)
        weights = [v.value for v in layer.trainable_variables]
        return tape.gradient(loss, [vectors]), loss, len(weights)

    for rows, columns in ((3, 5), (2, 1)):
        vectors, mask = VECTORS[:rows, :columns], tf.constant(EXISTS[:rows, :columns])
        start = STARTS[0][:rows]
        with tf.GradientTape() as tape:
            tape.watch(vectors)
            starts = [start] * state_tensors(cell)
            loss = ops.sum(by_hand(layer, vectors, starts, mask, False)[0] ** 2)
        gradients, found_loss, _ = traced(vectors, mask, start)
        np.testing.assert_allclose(found_loss, loss)
        np.testing.assert_allclose(
            gradients[0], tape.gradient(loss, vectors), atol=1e-12
        )


def test_nothing_is_kept_without_training():
    """So an exported graph holds nothing for a gradient."""

    def arrays(training):
        layer = keras_layer("gru", False)
        traced = tf.function(
            lambda x: by_hand(layer, x, STARTS[:1], None, training), autograph=False
        )
        graph = traced.get_concrete_function(VECTORS).graph
        return sum(op.type == "TensorListReserve" for op in graph.get_operations())

    assert arrays(True) - arrays(False) == STEPS["gru"].residuals


def test_maxout_and_its_gradient():
    u, upstream = RNG.standard_normal((2, 4, 3, 6))
    u, upstream = tf.constant(u), upstream[..., :3]
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(u)
        ours = maxout(u)
        plain = ops.max(ops.reshape(u, (4, 3, 3, 2)), axis=-1)
    np.testing.assert_array_equal(ours, plain)
    expected = tape.gradient(plain, u, upstream)
    np.testing.assert_allclose(tape.gradient(ours, u, upstream), expected, atol=1e-15)
