import keras
import numpy as np
import oracles
import oracles_relaxation
import pytest
import tensorflow as tf
from composed import loop

from neural_gpu_tf.layers import (
    CGRU,
    ActiveMemoryDecoder,
    ActiveMemoryEncoder,
    TapeCGRU,
)

SIZES = [5, 3, 1]


def encoder(**kwargs):
    return oracles.randomize(loop(ActiveMemoryEncoder, CGRU, **kwargs))


@pytest.mark.parametrize(
    "width, kernel_size, cutoff, layers",
    [
        (1, (5, 1), 1.0, 2),
        (1, (3, 3), 1.2, 1),
        (2, (5, 5), 1.2, 3),
        (4, (3, 3), 1.2, 2),
    ],
)
def test_is_the_equation(width, kernel_size, cutoff, layers):
    """Each example as if it were alone: n_b steps on n_b columns, then zeros."""
    layer = encoder(kernel_size=kernel_size, cutoff=cutoff, layers=layers)
    units = [oracles.unit_weights(unit) for unit in layer.units]
    canvas = oracles.ragged_canvas(SIZES, 5, width, 3)
    for got in (layer(canvas, np.array(SIZES)), layer.encode(canvas, np.array(SIZES))):
        for b, size in enumerate(SIZES):
            expected = oracles.encoder(canvas[b, :size], units, cutoff)
            np.testing.assert_allclose(got[b, :size], expected, atol=1e-5)
            assert not np.array(got[b, size:]).any()


def test_what_lies_beyond_the_size_does_not_matter():
    layer = encoder()
    canvas = oracles.ragged_canvas(SIZES, 5, 2, 3)
    dirty = canvas + (oracles.ragged_canvas([5] * 3, 5, 2, 3, seed=1)) * (canvas == 0)
    for apply in (layer, layer.encode):
        np.testing.assert_array_equal(
            apply(dirty, np.array(SIZES)), apply(canvas, np.array(SIZES))
        )


def keeps_everything(**kwargs):
    """An encoder whose update gates are 1, so that dropout alone acts."""
    layer = encoder(gate_bias=50.0, **kwargs)
    for weight in layer.trainable_weights:
        weight.assign(np.full(weight.shape, 50.0 * ("reset_bias" in weight.path)))
    return layer


def test_dropout_acts_once_a_step_and_spares_finished_examples():
    layer = keeps_everything(dropout=0.4, seed=1)
    canvas = np.ones((3, 5, 20, 3), "float32")
    dropped = np.array(layer(canvas, np.array(SIZES), training=True))
    for b, size in enumerate(SIZES):
        values = np.unique(dropped[b, :size])
        np.testing.assert_allclose(values, [0, 0.6**-size], rtol=1e-4)
        kept = np.mean(dropped[b, :size] > 0)
        assert abs(kept - 0.6**size) < 0.25
        assert not dropped[b, size:].any()


def test_dropout_keeps_the_mean():
    layer = keeps_everything(dropout=0.4, seed=1)
    canvas = np.ones((1000, 1, 2, 3), "float32")
    dropped = np.array(layer(canvas, np.ones(1000, "int32"), training=True))
    assert abs(dropped.mean() - 1) < 0.05


@pytest.mark.parametrize("dtype", ["float32", "float64", "mixed_bfloat16"])
def test_dropout_by_length_falls_with_the_root_of_the_size(dtype):
    layer = keeps_everything(dropout=0.4, dropout_by_length=True, seed=1, dtype=dtype)
    size = np.array([1, 4, 9])
    canvas = oracles.ragged_canvas(size, 9, 100, 3, dtype="float32") ** 2 + 1e-3
    dropped = np.array(layer(canvas, size, training=True), "float32")
    for b, n in enumerate(size):
        kept = (1 - 0.4 / np.sqrt(n)) ** n
        assert abs(np.mean(dropped[b, :n] > 0) - kept) < 0.1
        ratio = np.max(dropped[b, :n] / canvas[b, :n])
        np.testing.assert_allclose(ratio, 1 / kept, rtol=0.1)


def test_dropout_is_for_training_only():
    layer, plain = encoder(dropout=0.5), encoder()
    canvas, size = oracles.ragged_canvas(SIZES, 5, 2, 3), np.array(SIZES)
    np.testing.assert_array_equal(layer(canvas, size), plain(canvas, size))
    np.testing.assert_array_equal(
        layer(canvas, size, training=False), plain(canvas, size, training=True)
    )
    assert np.abs(layer(canvas, size, training=True) - plain(canvas, size)).max() > 0.01


def test_dropout_follows_from_the_seed_generators_state():
    layer = encoder(dropout=0.5, seed=9)
    canvas, size = oracles.ragged_canvas(SIZES, 5, 2, 3), np.array(SIZES)
    state = keras.ops.copy(layer.seed_generator.state)
    first = layer(canvas, size, training=True)
    second = layer(canvas, size, training=True)
    assert np.abs(first - second).max() > 0.01
    layer.seed_generator.state.assign(state)
    np.testing.assert_array_equal(layer(canvas, size, training=True), first)
    same, other = encoder(dropout=0.5, seed=9), encoder(dropout=0.5, seed=10)
    np.testing.assert_array_equal(same(canvas, size, training=True), first)
    assert np.abs(other(canvas, size, training=True) - first).max() > 0.01


def test_units_have_weights_of_their_own():
    layer = loop(ActiveMemoryEncoder, CGRU, layers=3)
    first, *others = [unit.candidate_kernel for unit in layer.units]
    assert all(np.abs(first - other).max() > 0.05 for other in others)


def test_units_compute_in_the_type_of_the_layer():
    layer = encoder(dtype="float64")
    canvas = oracles.ragged_canvas(SIZES, 5, 2, 3, dtype="float64")
    assert layer(canvas, np.array(SIZES)).dtype == "float64"
    units = [oracles.unit_weights(unit) for unit in layer.units]
    expected = oracles.encoder(canvas[0], units)
    np.testing.assert_allclose(layer(canvas, np.array(SIZES))[0], expected, atol=1e-12)


@pytest.mark.parametrize("relaxations, layers", [(2, 1), (3, 2)])
def test_steps_take_the_sets_in_turn(relaxations, layers):
    layer = encoder(layers=layers, relaxations=relaxations)
    units = [oracles.unit_weights(unit) for unit in layer.units]
    sets = [units[i * layers : (i + 1) * layers] for i in range(relaxations)]
    canvas = oracles.ragged_canvas(SIZES, 5, 2, 3)
    for got in (layer(canvas, np.array(SIZES)), layer.encode(canvas, np.array(SIZES))):
        for b, size in enumerate(SIZES):
            expected = oracles_relaxation.encoder(canvas[b, :size], sets)
            np.testing.assert_allclose(got[b, :size], expected, atol=1e-5)
            assert not np.array(got[b, size:]).any()


def test_equal_sets_are_one_set():
    """`relaxed_weights` names for each weight its r variables, which start apart."""
    layer, plain = encoder(relaxations=3, dropout=0.3, seed=1), encoder(dropout=0.3)
    plain.seed_generator.state.assign(layer.seed_generator.state)
    weights = plain.trainable_weights
    assert plain.relaxed_weights == []
    assert len({v.path for s in layer.relaxed_weights for v in s}) == 3 * len(weights)
    for same, weight in zip(layer.relaxed_weights, weights, strict=True):
        assert {v.name for v in same} == {weight.name}
        assert np.abs(same[0] - same[1]).max() > 0.01
        for variable in same:
            variable.assign(weight)
    canvas, size = oracles.ragged_canvas(SIZES, 5, 2, 3), np.array(SIZES)
    np.testing.assert_array_equal(
        layer(canvas, size, training=True), plain(canvas, size, training=True)
    )


def test_a_weight_that_is_frozen_in_a_set_is_not_drawn_to_the_others():
    layer = encoder(relaxations=2)
    weights = len(layer.relaxed_weights)
    layer.units[0].trainable = False
    left = layer.relaxed_weights
    assert 0 < len(left) < weights
    assert all(v.trainable for same in left for v in same)


def test_one_set_has_the_weights_it_always_had():
    layer = loop(ActiveMemoryEncoder, CGRU, name="encoder")
    names = ("update_and_reset_kernel", "candidate_kernel")
    names += ("update_and_reset_bias", "candidate_bias")
    assert [weight.path.split("/")[-2:] for weight in layer.trainable_weights] == [
        [unit, name] for unit in ("unit_1", "unit_2") for name in names
    ]


def test_a_decoder_has_one_set():
    with pytest.raises(ValueError, match="^relaxations=2: must be 1 in a decoder$"):
        loop(ActiveMemoryDecoder, TapeCGRU, relaxations=2)


def test_the_jacobian_of_a_batch_is_that_of_its_examples():
    """`batch_jacobian` takes the gradient of an eager pass in a graph."""
    size = np.array([2, 1])
    layer = encoder(layers=1)
    canvas = tf.Variable(oracles.ragged_canvas(size, 2, 2, 3))
    with tf.GradientTape(persistent=True) as tape:
        last = layer(canvas, size, training=True)[:, :, :1]
    found = tape.batch_jacobian(last, canvas)
    expected = tape.jacobian(last, canvas, experimental_use_pfor=False)
    for b in range(len(size)):
        np.testing.assert_allclose(found[b], expected[b, ..., b, :, :, :], atol=1e-5)
    assert np.abs(found).max() > 0.1
