"""Equations 1 to 9 of the Neural Turing Machine, and their gradients."""

from types import SimpleNamespace

import keras
import numpy as np
import oracles_ntm
import pytest
import tensorflow as tf

from neural_gpu_tf.layers import turing_heads, turing_memory
from neural_gpu_tf.layers.turing_memory import Addressing

BATCH, ROWS, WIDTH = 2, 6, 3


def softmax(x):
    return np.exp(x) / np.exp(x).sum(-1, keepdims=True)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def drawn(readers, writers, reach, seed=0, dtype="float64"):
    """The inputs of `use`."""
    rng = np.random.default_rng(seed)
    heads = readers + writers

    def normal(*shape):
        return rng.standard_normal((BATCH, *shape))

    values = [
        normal(ROWS, WIDTH),
        softmax(normal(heads, ROWS)),
        sigmoid(normal(writers, WIDTH)),
        normal(writers, WIDTH),
        normal(heads, WIDTH),
        np.exp(normal(heads, 1)),
        sigmoid(normal(heads, 1)),
        softmax(normal(heads, 2 * reach + 1)),
        1 + np.exp(normal(heads, 1)),
    ]
    return [tf.constant(x, dtype) for x in values]


def equation(values, writers, b):
    """M_t, w_t and r_t of example b."""
    memory, before, erase, add, *parameters = (x.numpy()[b] for x in values)
    weightings = []
    for h, w in enumerate(before):
        k, beta, g, s, gamma = (x[h] for x in parameters)
        p = SimpleNamespace(k=k, beta=beta, g=g, s=s, gamma=gamma)
        weightings.append(oracles_ntm.address(memory, w, p))
    memory = oracles_ntm.write(memory, weightings[:writers], erase, add)
    reads = [oracles_ntm.read(memory, w) for w in weightings[writers:]]
    return memory, weightings, reads


def plain(memory, before, erase, add, *parameters):
    """`use` with the backend's own gradient."""
    *_, w = turing_memory.address(memory, before, Addressing(*parameters))
    writers = erase.shape[1]
    memory = turing_memory.write(memory, w[:, :writers], erase, add)
    return memory, w, turing_memory.read(memory, w[:, writers:])


HEADS = pytest.mark.parametrize(
    "readers, writers, reach", [(1, 1, 1), (2, 3, 2), (3, 2, 1)]
)


@HEADS
def test_heads_are_the_equations(readers, writers, reach):
    values = drawn(readers, writers, reach)
    results = turing_heads.use(*values)
    for b in range(BATCH):
        expected = equation(values, writers, b)
        for result, array in zip(results, expected, strict=True):
            np.testing.assert_allclose(result[b], array, atol=1e-12)
    weightings = results[1].numpy()  # (1)
    np.testing.assert_allclose(weightings.sum(-1), 1, atol=1e-12)
    assert (weightings >= 0).all()


@HEADS
def test_their_shapes_are_known(readers, writers, reach):
    heads = turing_heads.TuringHeads(readers, writers, reach)
    shapes = (None, 7), (None, 5, 4), (None, readers + writers, 5)
    found = heads(*(keras.Input(shape[1:]) for shape in shapes))
    told = heads.compute_output_shape(*shapes)
    assert list(told) == [x.shape for x in found] == [*shapes[1:], (None, readers, 4)]


@HEADS
def test_the_gradient_is_the_backends_and_the_slope(readers, writers, reach):
    values = drawn(readers, writers, reach)
    rng = np.random.default_rng(1)
    cotangents = [rng.standard_normal(x.shape) for x in plain(*values)]

    def loss(function, values):
        outputs = zip(function(*values), cotangents, strict=True)
        return sum(tf.reduce_sum(x * c) for x, c in outputs)

    found = []
    for function in (turing_heads.use, plain):
        with tf.GradientTape() as recording:
            recording.watch(values)
            result = loss(function, values)
        found.append(recording.gradient(result, values))
    directions = [rng.standard_normal(x.shape) for x in values]
    for i, (own, other) in enumerate(zip(*found, strict=True)):
        np.testing.assert_allclose(own, other, atol=1e-12)
        sides = []
        for h in (1e-6, -1e-6):
            moved = list(values)
            moved[i] = moved[i] + h * directions[i]
            sides.append(loss(turing_heads.use, moved))
        slope = (sides[0] - sides[1]) / 2e-6
        np.testing.assert_allclose(tf.reduce_sum(own * directions[i]), slope, rtol=1e-5)
        assert abs(slope) > 1e-3


def test_the_cosine_is_the_papers_and_0_for_a_row_of_zeros():
    key, memory = drawn(1, 1, 1)[4], drawn(1, 1, 1)[0].numpy()
    memory[0, 2] = 0
    found = turing_memory.cosine(key, memory).numpy()
    assert not found[0, :, 2].any()
    for b, h, i in np.ndindex(found.shape):
        if (b, i) != (0, 2):
            expected = oracles_ntm.cosine(key.numpy()[b, h], memory[b, i])
            np.testing.assert_allclose(found[b, h, i], expected, atol=1e-6)


def test_a_shift_is_circular():
    weighting = np.eye(ROWS)[None, [0, ROWS - 1]]
    back, on = (np.tile(np.eye(3)[i], (1, 2, 1)) for i in (0, 2))
    np.testing.assert_array_equal(
        np.argmax(turing_memory.shift(weighting, back), -1), [[ROWS - 1, ROWS - 2]]
    )
    np.testing.assert_array_equal(
        np.argmax(turing_memory.shift(weighting, on), -1), [[1, 0]]
    )


def test_nothing_extreme_gives_no_number():
    """Nothing written yet, heads wholly on one row, any strength and sharpness."""
    memory, before, erase, add, *parameters = drawn(1, 1, 1, dtype="float32")
    p = Addressing(*parameters)
    p = p._replace(
        key=tf.zeros_like(p.key),
        strength=tf.fill(p.strength.shape, 1e4),
        gate=tf.zeros_like(p.gate),
        shifts=tf.constant(np.tile(np.eye(3)[1], (BATCH, 2, 1)), "float32"),
    )
    before = tf.constant(np.tile(np.eye(ROWS)[3], (BATCH, 2, 1)), "float32")
    for sharpness in (1.0, 3.0, 1e4):
        values = [
            tf.zeros_like(memory),
            before,
            erase,
            add,
            *p._replace(sharpness=tf.fill(p.sharpness.shape, sharpness)),
        ]
        with tf.GradientTape() as recording:
            recording.watch(values)
            results = turing_heads.use(*values)
            loss = sum(tf.reduce_sum(x**2) for x in results)
        np.testing.assert_allclose(results[1], before, atol=1e-6)
        for x in [*results, *recording.gradient(loss, values)]:
            assert np.isfinite(x).all()
