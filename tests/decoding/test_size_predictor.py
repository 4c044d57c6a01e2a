import dataclasses

import keras
import numpy as np
import oracles_sizes
import pytest
import tensorflow as tf
import tiny
from scripted import BySize, NeverCalled

from neural_gpu_tf.constants import EOS
from neural_gpu_tf.decoding import (
    SizePredictor,
    n_best_search,
    sample_search,
    size_search,
)
from neural_gpu_tf.decoding.compare_sizes import compare_sizes
from neural_gpu_tf.decoding.size_search import likeliest_sizes
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.models import SizeReadout
from neural_gpu_tf.options import DecodingConfig, SamplingConfig

PREDICTED = DecodingConfig(sizes="predicted")
CHOICES, LONGEST = 6, 4


def readout(features, seed=0):
    """One of random weights, that starts as the even distribution."""
    random = np.random.default_rng(seed)
    new = SizeReadout(features, CHOICES, LONGEST, fitted_to="this")
    even = new(
        {"features": np.ones((1, features), np.float32), "length": np.array([2])}
    )
    np.testing.assert_allclose(np.exp(even), 1 / CHOICES, rtol=1e-6)
    new.set_weights([random.normal(size=w.shape) for w in new.get_weights()])
    return new


@pytest.fixture(scope="module")
def predictor():
    width = tiny.MODEL.width * tiny.MODEL.maps
    return SizePredictor(tiny.new_model(8), readout(2 * width))


@pytest.fixture(scope="module")
def sources():
    random = np.random.default_rng(1)
    length = np.array([4, 1, 5, 0, 2, 7, 5])
    source = random.integers(3, 8, (7, 9)) * (np.arange(9) < length[:, None])
    return source.astype(np.int32), length


@pytest.mark.parametrize("cells", [1, 12, 1000])
def test_log_p_is_that_of_the_equation_whatever_the_packs(predictor, sources, cells):
    in_graph = tf.function(
        lambda source, length: predictor(source, length, cells),
        input_signature=[
            tf.TensorSpec([None, None], tf.int32),
            tf.TensorSpec([None], tf.int32),
        ],
        autograph=False,
    )
    log_p = in_graph(*sources)
    assert log_p.shape == (7, CHOICES)
    bias, kernel = sorted(predictor.readout.get_weights(), key=len)
    for found, symbols, n in zip(log_p, *sources, strict=True):
        if n:
            canvas = predictor.model.encode(symbols[None, :n], np.array([n]))[0]
            expected = oracles_sizes.log_p(np.array(canvas), kernel, bias)
            np.testing.assert_allclose(found, expected, atol=1e-4)
    assert in_graph(sources[0][:0], sources[1][:0]).shape == (0, CHOICES)


def test_keras_floatx_has_no_bearing(predictor, sources, set_floatx):
    expected = predictor(*sources, 12)
    set_floatx("float64")
    np.testing.assert_array_equal(predictor(*sources, 12), expected)


def test_the_readout_comes_back_from_its_file(predictor, tmp_path):
    path = tmp_path / "readout.keras"
    predictor.readout.save(path)
    loaded = keras.saving.load_model(path)
    assert (loaded.fitted_to, loaded.choices) == ("this", CHOICES)
    h = np.random.default_rng(0).normal(size=(3, loaded.features))
    inputs = {"features": h.astype(np.float32), "length": np.array([1, 4, 9])}
    np.testing.assert_array_equal(loaded(inputs), predictor.readout(inputs))


def test_the_readout_is_computed_in_float32_under_any_policy():
    features = np.random.default_rng(0).normal(size=(2, 4)).astype("float32")
    values = np.linspace(-1, 1, 12).reshape(4, 3), np.ones((10, 3))
    found = []
    for policy in ("float32", "mixed_float16"):
        keras.config.set_dtype_policy(policy)
        try:
            readout = SizeReadout(4, 3, 9)
        finally:
            keras.config.set_dtype_policy("float32")
        readout.set_weights(values)
        length = np.array([2, 5])
        found.append(np.array(readout({"features": features, "length": length})))
    assert found[1].dtype == "float32"
    np.testing.assert_array_equal(*found)


def test_a_readout_takes_no_unknown_option():
    with pytest.raises(TypeError, match="chioces"):
        SizeReadout(4, 3, 9, chioces=5)


def test_a_frozen_readout_stays_frozen():
    readout = SizeReadout(4, 3, 9)
    readout.get_layer("of_length").trainable = False
    copy = SizeReadout.from_config(readout.get_config())
    assert [w.path for w in copy.trainable_weights] == ["of_features/kernel"]
    readout.trainable = False
    assert not SizeReadout.from_config(readout.get_config()).trainable


@pytest.mark.parametrize("options", [{}, {"max_size_ratio": 1.4, "size_margin": 1}])
def test_the_likeliest_sizes(options):
    random = np.random.default_rng(0)
    length = np.arange(20) % 9
    log_p = random.integers(-9, 0, (20, CHOICES)) / 2  # many of them equal
    for most in (1, 3, CHOICES, 99):
        config = dataclasses.replace(PREDICTED, tried_sizes=most, **options)
        rows = np.array(likeliest_sizes(log_p.astype(np.float32), length, config))
        for row, values, n in zip(rows, log_p, length, strict=True):
            expected = oracles_sizes.likeliest(
                values, n, most, config.max_size_ratio, config.size_margin
            )
            assert row.tolist() == expected + [0] * (len(row) - len(expected))


def always(*more):
    """A predictor that finds |source| + more likeliest, in this order."""

    def log_p(source, length, cells):
        order = np.full(CHOICES, -99.0, np.float32)
        order[list(more)] = -np.arange(len(more))
        return np.tile(order, (len(length), 1))

    return log_p


def search(model, length, predictor, **options):
    source = np.ones((len(length), max(length, default=0)), np.int32)
    config = dataclasses.replace(PREDICTED, **options)
    return size_search(model, source, np.array(length), config, predictor)


def test_only_the_likeliest_sizes_are_tried_and_the_best_output_wins():
    script = {
        3: [(5, 0.5), (EOS, 0.9)],
        4: [(6, 0.9), (EOS, 0.9)],  # likelier, but at first not tried
        5: [(7, 0.6), (EOS, 0.9)],
    }
    for tried, sizes, best in ((1, [5], 5), (2, [3, 5], 5), (3, [3, 4, 5], 4)):
        model = BySize(script)
        decoded = search(model, [3], always(2, 0, 1), tried_sizes=tried)
        assert sorted(n for _, pack in model.packs for n in pack) == sizes
        np.testing.assert_array_equal(decoded.size, [best])


def test_an_empty_source_and_none():
    decoded = search(NeverCalled(), [0, 0], always(0, 1))
    np.testing.assert_array_equal(decoded.size, [0, 0])
    assert {x.shape[0] for x in search(NeverCalled(), [], always(0))} == {0}


def test_as_many_as_there_are_is_as_good_as_all(predictor, sources):
    source, length = (x[:5] for x in sources)  # at most 5 symbols, 6 sizes
    for options in ({}, {"beam": 3, "n_best": 2}):
        expected = n_best_search(
            predictor.model, source, length, DecodingConfig(**options)
        )
        config = dataclasses.replace(PREDICTED, tried_sizes=CHOICES, **options)
        decoded = n_best_search(predictor.model, source, length, config, predictor)
        for found, value in zip(decoded, expected, strict=True):
            np.testing.assert_allclose(found, value, atol=1e-4)


def test_sampling_on_predicted_sizes():
    model = BySize({4: [(6, 0.9), (EOS, 0.9)], 5: [(7, 0.8), (EOS, 0.9)]})
    for more, best in (([1, 2], 4), ([2], 5)):
        drawn = sample_search(
            model,
            np.ones((1, 3), np.int32),
            np.array([3]),
            lambda n: np.full((1, int(n)), 0.5, np.float32),
            dataclasses.replace(PREDICTED, tried_sizes=len(more)),
            SamplingConfig(sample=True),
            always(*more),
        )
        np.testing.assert_array_equal(drawn.size, [best])


def test_how_sizes_compare():
    model = BySize(
        {
            2: [(5, 0.5), (EOS, 0.9)],
            3: [(5, 0.25), (EOS, 0.9)],  # the same, half as likely
            4: [(6, 0.125), (EOS, 0.9)],
            5: [(5, 0.9)] * 5,  # likelier, but without an end
        }
    )
    length, config = np.array([2, 0, 3]), DecodingConfig(size_margin=1, beam=4)
    found = compare_sizes(model, np.ones((3, 3), np.int32), length, config)
    expected = np.zeros((3, 5))  # 2 to 5, nothing, and 3 to 7
    expected[0, :3] = np.array([4, 2, 1]) / 7
    expected[2, :2] = np.array([2, 1]) / 3
    np.testing.assert_allclose(found.share, expected, atol=1e-6)
    agrees = np.zeros((3, 5), bool)
    agrees[0, [0, 1]] = agrees[2, 0] = True
    np.testing.assert_array_equal(found.agrees, agrees)


def test_without_an_end_all_count():
    model = BySize({2: [(5, 0.5)] * 2, 3: [(5, 0.25)] * 3})
    config = DecodingConfig(max_size_ratio=1.5)
    found = compare_sizes(model, np.ones((1, 2), np.int32), np.array([2]), config)
    np.testing.assert_allclose(found.share, [[16 / 17, 1 / 17]], rtol=1e-5)
    np.testing.assert_array_equal(found.agrees, [[True, False]])


def test_an_output_that_fills_its_canvas_is_the_same_as_one_that_ends():
    model = BySize({2: [(5, 0.9)] * 2, 3: [(5, 0.9), (5, 0.9), (EOS, 0.9)]})
    config = DecodingConfig(max_size_ratio=1.5)
    found = compare_sizes(model, np.ones((1, 2), np.int32), np.array([2]), config)
    np.testing.assert_array_equal(found.agrees, [[True, True]])


def test_nothing_to_predict_with():
    with pytest.raises(InputError, match="there is no size predictor; make one"):
        search(NeverCalled(), [3], None)
    model = BySize({})
    model.sized = False  # it needs none
    np.testing.assert_array_equal(search(model, [3], None).size, [6])
