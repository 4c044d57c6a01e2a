"""Layers that take a mask find it on their input, as Keras's own do."""

import warnings

import keras
import numpy as np
import pytest

import neural_gpu_tf as ng
from neural_gpu_tf.layers.source_padding import SourcePadding
from neural_gpu_tf.layers.within_size import WithinSize

SYMBOLS = np.array([[3, 4, 5, 6, 7], [3, 4, 5, 0, 0], [3, 0, 0, 0, 0], [0] * 5])
EXISTS = SYMBOLS > 0

LAYERS = {
    "RecurrentEncoder": lambda: ng.RecurrentEncoder(4, bidirectional=True),
    "FixedMemory": lambda: ng.FixedMemory(3, position_encoding=True),
    "MemoryAnnotations": lambda: ng.MemoryAnnotations(4),
    "UnsharedEncoder": lambda: ng.UnsharedEncoder(ng.CGRU(6)),
    "TuringMachine": lambda: ng.TuringMachine(4, 6, 3),
    "StackMachine": lambda: ng.StackMachine(4, 3),
}


@pytest.fixture(params=LAYERS)
def both(request):
    """A layer, and an input of it with its mask on it and without."""
    keras.utils.set_random_seed(0)
    with_mask = keras.layers.Embedding(9, 6, mask_zero=True)(SYMBOLS)
    if request.param == "UnsharedEncoder":
        with_mask = ng.FirstRow(2)(with_mask)
    plain = keras.ops.convert_to_numpy(with_mask)
    return LAYERS[request.param](), with_mask, plain


def assert_same(ones, others):
    for one, other in zip(
        keras.tree.flatten(ones), keras.tree.flatten(others), strict=True
    ):
        np.testing.assert_array_equal(one, other)


def test_the_mask_of_the_input_is_taken_and_none_is_all(both):
    layer, with_mask, plain = both
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # that the mask would be lost
        found = layer(with_mask)
    expected = layer(plain, EXISTS)
    assert_same(found, expected)
    everything = layer(plain)
    assert_same(everything, layer(plain, np.ones_like(EXISTS)))
    first = [keras.tree.flatten(x)[0] for x in (everything, expected)]
    assert np.abs(first[0] - first[1]).max() > 1e-3


def test_the_mask_goes_on_where_there_are_still_positions(both):
    layer, with_mask, _ = both
    first = keras.tree.flatten(layer(with_mask))[0]
    mask = getattr(first, "_keras_mask", None)
    if isinstance(layer, ng.FixedMemory):
        assert mask is None
    else:
        np.testing.assert_array_equal(mask, EXISTS)


def test_a_functional_model_of_it_is_saved_and_loaded(both, tmp_path):
    layer, _, _ = both
    symbols = keras.Input([None], dtype="int32")
    vectors = keras.layers.Embedding(9, 6, mask_zero=True)(symbols)
    if isinstance(layer, ng.UnsharedEncoder):
        vectors = ng.FirstRow(2)(vectors)
    model = keras.Model(symbols, keras.tree.flatten(layer(vectors)))
    model.save(tmp_path / "model.keras")
    again = keras.models.load_model(tmp_path / "model.keras")
    assert_same(model(SYMBOLS), again(SYMBOLS))


def test_the_pooled_decoder_takes_that_of_its_memory():
    keras.utils.set_random_seed(0)
    memory = ng.FirstRow(1)(keras.layers.Embedding(9, 6, mask_zero=True)(SYMBOLS))
    plain = keras.ops.convert_to_numpy(memory)
    vectors = np.random.default_rng(0).normal(size=(4, 3, 2)).astype("float32")
    layer = ng.PooledDecoder(ng.CGRU(6, (3, 1)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = layer(memory, vectors)
    assert getattr(found, "_keras_mask", None) is None
    assert_same(found, layer(plain, vectors, EXISTS))
    everything = layer(plain, vectors)
    assert_same(everything, layer(plain, vectors, np.ones_like(EXISTS)))
    assert np.abs(everything - found).max() > 1e-3
    symbols, given = keras.Input([None], dtype="int32"), keras.Input([None, 2])
    embedded = keras.layers.Embedding(9, 6, mask_zero=True)(symbols)
    model = keras.Model([symbols, given], layer(ng.FirstRow(1)(embedded), given))
    assert model([SYMBOLS, vectors]).shape == (4, 3, 6)


def test_a_mask_that_is_given_draws_no_warning():
    query, rows = np.ones((2, 3), np.float32), np.ones((2, 5, 3), np.float32)
    for layer in (ng.MemoryAttention(4), ng.MemoryLookup()):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            layer(query, rows, mask=np.ones((2, 5), bool))


def test_a_mask_is_passed_on_where_vectors_are_set_to_0():
    vectors = keras.layers.Embedding(9, 6, mask_zero=True)(SYMBOLS)
    others = {WithinSize(): np.array([5, 2, 1, 0]), SourcePadding(): SYMBOLS}
    for layer, other in others.items():
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found = layer(vectors, other)
        np.testing.assert_array_equal(found._keras_mask, EXISTS)
