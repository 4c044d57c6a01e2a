import keras
import numpy as np
import oracles
import oracles_recurrent
import pytest

from neural_gpu_tf.layers import recurrent_decoder
from neural_gpu_tf.layers.recurrent_decoder import RecurrentDecoder

SIZES = np.array([5, 3, 1], "int32")
EXISTS = np.array([[1, 1, 1, 1], [0, 1, 0, 1], [0, 0, 0, 0]], bool)
RNG = np.random.default_rng(0)
VECTORS = RNG.standard_normal((3, 5, 2)).astype("float32")
ROWS = RNG.standard_normal((3, 4, 6)).astype("float32")
STATES = RNG.standard_normal((2, 2, 3, 3)).astype("float32")
cases = pytest.mark.parametrize(
    "cell, layers, score",
    [("gru", 1, "additive"), ("lstm", 2, "dot"), ("gru", 2, None), ("lstm", 1, None)],
)


def decoder(cell="gru", layers=2, score="additive", **kwargs):
    layer = RecurrentDecoder(
        3, 4, cell=cell, layers=layers, attention_score=score, **kwargs
    )
    layer.build((None, None, 2), rows_shape=(None, None, 6))
    return oracles.randomize(layer)


def first(cell="gru", layers=2):
    return [tuple(x[: 1 + (cell == "lstm")]) for x in STATES[:layers]]


@cases
def test_is_the_equation(cell, layers, score):
    """All steps at once, and one by one."""
    layer = decoder(cell, layers, score)
    start = layer.start(first(cell, layers), ROWS, SIZES, EXISTS)
    forced = np.array(layer(VECTORS, first(cell, layers), ROWS, SIZES, EXISTS))
    alphas = layer.run(VECTORS, start).weights
    for b, n in enumerate(SIZES):
        expected, looked = oracles_recurrent.decoder(
            VECTORS[b],
            [tuple(x[b] for x in state) for state in first(cell, layers)],
            ROWS[b][EXISTS[b]],
            oracles_recurrent.decoder_weights(layer),
        )
        np.testing.assert_allclose(forced[b, :n], expected[:n], atol=1e-5)
        assert not forced[b, n:].any()
        if score is None:
            assert alphas is None
        else:
            got = np.array(alphas[b])
            np.testing.assert_allclose(got[:, EXISTS[b]], looked, atol=1e-5)
            assert not got[:, ~EXISTS[b]].any()
    state = start
    for t in range(5):
        state, readout, weights = layer.step(state, VECTORS[:, t], t)
        np.testing.assert_allclose(readout, forced[:, t], atol=1e-6)
        if score is not None:
            np.testing.assert_allclose(weights, alphas[:, t], atol=1e-6)


def test_every_input_of_every_step_is_dropped_anew(monkeypatch):
    """In each step one mask for each layer, and one for what the readout sees."""
    drawn = []

    def mask(like, rate, seed, t):
        drawn.append((tuple(np.array(seed)), int(t)))
        return 0 * like + 1

    layer = decoder(dropout=0.5, seed=1)
    monkeypatch.setattr(recurrent_decoder, "dropout_mask", mask)
    arguments = VECTORS, first(), ROWS, SIZES, EXISTS
    kept = layer(*arguments, training=True)
    np.testing.assert_array_equal(kept, layer(*arguments))
    assert len(drawn) == len(set(drawn)) == 5 * 2 + 1


def test_dropout_is_for_training_only():
    layer, arguments = decoder(dropout=0.5, seed=1), (VECTORS, first(), ROWS, SIZES)
    exact = decoder()(*arguments)
    np.testing.assert_array_equal(layer(*arguments), exact)
    drawn = [layer(*arguments, training=True) for _ in range(2)]
    assert np.abs(drawn[0] - drawn[1]).max() > 0.01
    assert np.abs(drawn[0] - exact).max() > 0.01


@pytest.mark.filterwarnings("error")
def test_a_keras_mask_of_the_rows_is_taken():
    symbols = np.array([[3, 4, 0, 5], [5, 0, 0, 0], [0, 0, 3, 3]])
    rows = keras.layers.Embedding(9, 6, mask_zero=True)(symbols)
    layer = decoder()
    found = layer(VECTORS, first(), rows, SIZES)
    bare = keras.ops.copy(rows)
    expected = layer(VECTORS, first(), bare, SIZES, mask=symbols > 0)
    np.testing.assert_array_equal(found, expected)
    assert np.abs(np.array(found - layer(VECTORS, first(), bare, SIZES))).max() > 1e-3


@pytest.mark.parametrize("score", [None, "additive"])
def test_takes_a_state_a_layer(score):
    layer = decoder(layers=2, score=score)
    with pytest.raises(ValueError, match="1 states for 2 layers"):
        layer(VECTORS, first(layers=1), ROWS, SIZES)
