import keras
import numpy as np
import oracles
import oracles_recurrent
import pytest

from neural_gpu_tf.layers import recurrent_encoder
from neural_gpu_tf.layers.recurrent_encoder import RecurrentEncoder

EXISTS = np.array(  # from the start, with holes, one position, none
    [[1, 1, 1, 1], [0, 1, 0, 1], [0, 0, 1, 0], [0, 0, 0, 0]], bool
)
cases = pytest.mark.parametrize(
    "cell, bidirectional, layers",
    [("gru", False, 2), ("gru", True, 1), ("lstm", False, 1), ("lstm", True, 2)],
)


def vectors(seed=0):
    return np.random.default_rng(seed).standard_normal((4, 4, 2)).astype("float32")


def encoder(dtype="float32", **kwargs):
    layer = RecurrentEncoder(3, dtype=dtype, **kwargs)
    layer.build((None, None, 2))
    return oracles.randomize(layer)


@cases
def test_is_the_equation(cell, bidirectional, layers):
    layer = encoder(cell=cell, bidirectional=bidirectional, layers=layers)
    annotations, first = layer(vectors(), EXISTS)
    for b, exists in enumerate(EXISTS):
        expected, states = oracles_recurrent.encoder(
            list(vectors()[b][exists]), oracles_recurrent.encoder_weights(layer)
        )
        got = np.array(annotations[b])
        np.testing.assert_allclose(
            got[exists], np.reshape(expected, (-1, got.shape[1])), atol=1e-5
        )
        assert not got[~exists].any()
        for state, expected_state in zip(first, states, strict=True):
            for x, y in zip(state, expected_state, strict=True):
                np.testing.assert_allclose(x[b], y, atol=1e-5)


@cases
def test_vectors_where_nothing_exists_do_not_matter(cell, bidirectional, layers):
    layer = encoder(cell=cell, bidirectional=bidirectional, layers=layers)
    other = np.where(EXISTS[:, :, None], vectors(), 9 * vectors(seed=1))
    for a, b in zip(
        keras.tree.flatten(layer(other, EXISTS)),
        keras.tree.flatten(layer(vectors(), EXISTS)),
        strict=True,
    ):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("dtype", ["bfloat16", "float64"])
def test_other_dtypes(dtype):
    policy = "mixed_bfloat16" if dtype == "bfloat16" else dtype
    exact, _ = encoder(bidirectional=True)(vectors(), EXISTS)
    got, first = encoder(policy, bidirectional=True)(vectors(), EXISTS)
    assert got.dtype == first[0][0].dtype == dtype
    np.testing.assert_allclose(np.array(got, "float32"), exact, atol=0.05)


def test_every_layers_input_is_dropped(monkeypatch):
    drawn = []

    def mask(like, rate, seed, i):
        drawn.append((tuple(np.array(seed)), i))
        return 0 * like + 1

    layer = encoder(dropout=0.5, seed=1)
    monkeypatch.setattr(recurrent_encoder, "dropout_mask", mask)
    kept = layer(vectors(), EXISTS, training=True)[0]
    np.testing.assert_array_equal(kept, layer(vectors(), EXISTS)[0])
    assert len(set(drawn)) == len(drawn) >= layer.depth > 1


def test_dropout_is_for_training_only():
    layer, plain = encoder(dropout=0.5, seed=1), encoder()
    exact = plain(vectors(), EXISTS)[0]
    np.testing.assert_array_equal(layer(vectors(), EXISTS)[0], exact)
    drawn = [layer(vectors(), EXISTS, training=True) for _ in range(2)]
    assert np.abs(drawn[0][0] - drawn[1][0]).max() > 0.01
    assert np.abs(drawn[0][0] - exact).max() > 0.01


def test_an_unknown_cell_is_named():
    with pytest.raises(ValueError, match="'elman'.*choose gru or lstm"):
        RecurrentEncoder(3, cell="elman")


@cases
def test_its_shapes_are_known_without_a_call(cell, bidirectional, layers):
    layer = encoder(cell=cell, bidirectional=bidirectional, layers=layers)
    known = layer(keras.Input((4, 2), batch_size=4), keras.Input((4,), 4, dtype="bool"))
    found = layer(vectors(), EXISTS)
    assert [x.shape for x in keras.tree.flatten(known)] == [
        tuple(x.shape) for x in keras.tree.flatten(found)
    ]
    keras.tree.assert_same_structure(known, found)
