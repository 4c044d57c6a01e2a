import os
import subprocess
import sys

import keras
import numpy as np
import pytest
import tensorflow as tf

from neural_gpu_tf.layers import dropout_masks, loops, operations


def random(*shape):
    return np.random.default_rng(2).standard_normal(shape)


@pytest.mark.parametrize("reverse", [False, True])
def test_record_loop_is_a_loop(reverse):
    """Also when one loop reads what another recorded."""
    inputs = random(4, 3)

    def body(t, carry, xs):
        new = 2 * carry[0] + xs[0] + tf.cast(t, "float64")
        return [new], [new * xs[0]]

    start, like = tf.zeros(3, "float64"), tf.zeros(3, "float64")
    carry, records = loops.record_loop(body, [start], 4, [like], [inputs], reverse)
    again = loops.record_loop(body, [start], 4, [like], records, reverse)

    def expected(inputs):
        value, record = np.zeros(3), np.zeros((4, 3))
        for t in reversed(range(4)) if reverse else range(4):
            value = 2 * value + inputs[t] + t
            record[t] = value * inputs[t]
        return value, record

    value, record = expected(inputs)
    np.testing.assert_allclose(carry[0], value)
    np.testing.assert_allclose(loops.stack(records[0]), record)
    value, record = expected(record)
    np.testing.assert_allclose(again[0][0], value)
    np.testing.assert_allclose(loops.stack(again[1][0]), record)


def test_sum_of_cells():
    x = random(2, 4, 3, 5)
    found = operations.sum_of_cells(tf.constant(x))
    np.testing.assert_allclose(found, x.sum((0, 1, 2)))


def test_as_tensor_gives_a_tensor_of_the_asked_type():
    variable = keras.Variable([1.5, 2.0], dtype="float32")
    for dtype in ("float32", "bfloat16"):
        value = operations.as_tensor(variable, dtype)
        assert isinstance(value, tf.Tensor) and value.dtype == dtype


def test_dropout_mask_is_a_function_of_seed_and_step():
    generator = keras.random.SeedGenerator(4)
    seeds = [generator.next(), generator.next(), keras.random.SeedGenerator(5).next()]
    like = tf.zeros((2, 5, 2, 3))

    def mask(seed, t):
        return np.array(dropout_masks.dropout_mask(like, 0.5, seed, t))

    masks = [mask(seed, t) for seed in seeds for t in range(4)]
    again = [mask(seed, tf.constant(t)) for seed in seeds for t in range(4)]
    for i, drawn in enumerate(masks):
        np.testing.assert_array_equal(drawn, again[i])
        for other in masks[:i]:
            assert (drawn != other).any()


@pytest.mark.parametrize("rate", [0.1, 0.6])
def test_dropout_mask_keeps_the_mean(rate):
    seed = keras.random.SeedGenerator(0).next()
    mask = np.array(dropout_masks.dropout_mask(tf.zeros(40_000), rate, seed, 3))
    np.testing.assert_allclose(np.unique(mask), [0, 1 / (1 - rate)], rtol=1e-6)
    assert abs(np.mean(mask == 0) - rate) < 0.01  # 4 standard deviations
    assert abs(mask.mean() - 1) < 0.03


def test_dropout_mask_takes_a_rate_for_each_example():
    seed = keras.random.SeedGenerator(0).next()
    rate = tf.constant([0.1, 0.6])[:, None]
    mask = np.array(dropout_masks.dropout_mask(tf.zeros((2, 20_000)), rate, seed, 3))
    np.testing.assert_allclose(np.mean(mask == 0, axis=1), [0.1, 0.6], atol=0.02)
    np.testing.assert_allclose(mask.max(axis=1), [1 / 0.9, 1 / 0.4], rtol=1e-6)


def test_another_backend_is_refused():
    done = subprocess.run(
        [sys.executable, "-c", "import neural_gpu_tf.layers.loops"],
        env=os.environ | {"KERAS_BACKEND": "numpy"},
        capture_output=True,
        text=True,
    )
    told = "KERAS_BACKEND=numpy: neural_gpu_tf runs on tensorflow, jax and torch"
    assert told in done.stderr.splitlines()[-1]
