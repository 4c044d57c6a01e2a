import keras
import numpy as np
import oracles
import pytest
from composed import loop

from neural_gpu_tf.layers import DiagonalCGRU, DiagonalEncoder

SIZES = [5, 3, 1]


def encoder(**kwargs):
    layer = loop(DiagonalEncoder, DiagonalCGRU, maps=4, **kwargs)
    return oracles.randomize(layer)


@pytest.mark.parametrize("width, layers", [(1, 1), (2, 2)])
def test_is_the_equation_and_adds_the_cost_of_saturation(width, layers):
    layer = encoder(layers=layers, saturation_weight=0.01)
    units = [oracles.unit_weights(unit) for unit in layer.units]
    canvas = 1.5 * oracles.ragged_canvas(SIZES, 5, width, 4)
    last, costs = layer(canvas, np.array(SIZES), training=True), []
    for b, size in enumerate(SIZES):
        expected, cost = oracles.diagonal_encoder(canvas[b, :size], units)
        costs.append(cost)
        np.testing.assert_allclose(last[b, :size], expected, atol=1e-5)
        assert not np.array(last[b, size:]).any()
    np.testing.assert_allclose(layer.losses, [0.01 * np.mean(costs)], rtol=1e-5)
    np.testing.assert_array_equal(layer.encode(canvas, np.array(SIZES)), last)


def test_dropout_falls_on_the_start_and_on_every_candidate():
    layer, plain = encoder(dropout=0.5, seed=1), encoder()
    canvas, size = oracles.ragged_canvas(SIZES, 5, 2, 4), np.array(SIZES)
    np.testing.assert_array_equal(layer(canvas, size), plain(canvas, size))
    first = layer(canvas, size, training=True)
    assert np.abs(first - plain(canvas, size)).max() > 0.01
    assert np.abs(first - layer(canvas, size, training=True)).max() > 0.01
    # Candidates never chosen (every update gate is 1): the start's dropout alone.
    for weight in layer.trainable_weights:
        weight.assign(np.full(weight.shape, 5.0 * ("reset_bias" in weight.path)))
    ones = np.ones((200, 1, 1, 4), "float32")
    dropped = np.array(layer(ones, np.ones(200, int), training=True))[..., 0]
    np.testing.assert_array_equal(np.unique(dropped), [0, 2])
    assert 0.3 < np.mean(dropped > 0) < 0.7
    # Candidates alone (every update gate is 0), each of them 1.
    for weight in layer.trainable_weights:
        bias = np.repeat([-5.0, 5.0], 4) if "reset_bias" in weight.path else 0.0
        bias = 5.0 if "candidate_bias" in weight.path else bias
        weight.assign(np.broadcast_to(bias, weight.shape))
    dropped = np.array(layer(ones, np.ones(200, int), training=True))
    np.testing.assert_array_equal(np.unique(dropped), [0, 2])
    assert 0.4 < np.mean(dropped > 0) < 0.6


def test_equal_sets_are_one_set():
    layer = encoder(layers=2, relaxations=3, dropout=0.3, seed=1)
    plain = encoder(layers=2, dropout=0.3, seed=1)
    for same, weight in zip(
        layer.relaxed_weights, plain.trainable_weights, strict=True
    ):
        for variable in same:
            variable.assign(weight)
    canvas, size = oracles.ragged_canvas(SIZES, 5, 2, 4), np.array(SIZES)
    last = plain(canvas, size, training=True)
    np.testing.assert_array_equal(layer(canvas, size, training=True), last)
    np.testing.assert_array_equal(layer.losses, plain.losses)
    np.testing.assert_array_equal(
        layer.encode(canvas, size), plain.encode(canvas, size)
    )


def test_its_cost_has_the_type_of_keras_losses():
    layer, floatx = encoder(), keras.config.floatx()
    canvas = oracles.ragged_canvas(SIZES, 5, 2, 4)
    try:
        keras.config.set_floatx("float64")
        layer(canvas, np.array(SIZES), training=True)
        assert layer.losses[0].dtype == "float64"
        layer = encoder(saturation_weight=1.0, dtype="float64")
        layer(1.5 * canvas, np.array(SIZES), training=True)
        cost = float(layer.losses[0])
        assert 0 < cost != float(np.float32(cost))  # in no step of its sum a float32
    finally:
        keras.config.set_floatx(floatx)


def test_the_cost_is_summed_in_float32():
    canvas, costs = 1.5 * oracles.ragged_canvas([40], 40, 2, 16), []
    for dtype in ("float32", "mixed_bfloat16", "mixed_float16"):
        layer = loop(DiagonalEncoder, DiagonalCGRU, maps=16, layers=1, dtype=dtype)
        oracles.randomize(layer)
        layer(canvas, np.array([40]), training=True)
        costs.append(float(layer.losses[0]))
    np.testing.assert_allclose(costs[1], costs[0], rtol=0.005)
    np.testing.assert_allclose(costs[2], costs[0], rtol=0.001)
