"""The recurrent models against the papers' equations, example by example."""

import keras
import numpy as np
import oracles
import oracles_recurrent
import pytest
import tensorflow as tf

from neural_gpu_tf.models.attention_seq2seq import AttentionSeq2Seq
from neural_gpu_tf.models.fixed_memory_seq2seq import FixedMemorySeq2Seq
from neural_gpu_tf.models.hybrid_seq2seq import HybridSeq2Seq
from neural_gpu_tf.models.rnn_seq2seq import RNNSeq2Seq

VOCABULARY = 7
SIZES = np.array([4, 2, 1, 3], "int32")
N = 4
INPUTS = dict(  # a hole in the source, none, only a hole beyond the size, an empty one
    source=np.array([[3, 0, 5, 6], [2, 4, 6, 3], [5, 0, 1, 2], [0, 0, 0, 4]], "int32"),
    target=np.random.default_rng(0).integers(0, VOCABULARY, (4, N), "int32"),
    size=SIZES,
)
VARIANTS = dict(
    rnn=(RNNSeq2Seq, {}),
    rnn_lstm=(RNNSeq2Seq, dict(cell="lstm", bidirectional=True, layers=1)),
    rnnsearch=(AttentionSeq2Seq, dict(bidirectional=True, layers=1)),
    attention_lstm=(AttentionSeq2Seq, dict(cell="lstm")),
    attention_deep=(AttentionSeq2Seq, dict(bidirectional=True)),
    hybrid=(
        HybridSeq2Seq,
        dict(bidirectional=True, layers=1, maps=2, kernel_size=5, cutoff=1.1),
    ),
    fixed=(FixedMemorySeq2Seq, dict(contexts=3, layers=1)),
    fixed_sigmoid=(
        FixedMemorySeq2Seq,
        dict(
            contexts=3,
            position_encoding=True,
            encoder_scoring="sigmoid",
            decoder_scoring="sigmoid",
        ),
    ),
    fixed_additive=(FixedMemorySeq2Seq, dict(contexts=3, attention_score="additive")),
    fixed_lstm=(
        FixedMemorySeq2Seq,
        dict(
            contexts=3,
            position_encoding=True,
            attention_score="dot",
            cell="lstm",
            bidirectional=True,
        ),
    ),
)
variants = pytest.mark.parametrize("name", VARIANTS)


@pytest.fixture
def new_model():
    """Makes a model in float64."""
    before = keras.config.dtype_policy()
    keras.config.set_dtype_policy("float64")

    def build(name):
        cls, options = VARIANTS[name]
        return oracles.randomize(cls(VOCABULARY, units=3, embedding_size=2, **options))

    yield build
    keras.config.set_dtype_policy(before)


def equation(model, b):
    """Logits and alignments of example b, and where its symbols stand."""
    n = SIZES[b]
    symbols, where = oracles_recurrent.existing(INPUTS["source"][b], n)
    weights = oracles_recurrent.model_weights(model)
    target = INPUTS["target"][b, :n]
    return *oracles_recurrent.seq2seq(symbols, where, target, weights), where


@variants
def test_is_the_equation_and_its_gradient_the_slope(name, new_model):
    """The slope along a random direction of each weight; and the alignments."""
    model, rng = new_model(name), np.random.default_rng(1)
    cotangent = rng.standard_normal((len(SIZES), N, VOCABULARY))
    with tf.GradientTape() as recording:
        logits = model(INPUTS)
        loss = tf.reduce_sum(logits * cotangent)
    gradients = recording.gradient(loss, model.trainable_variables)
    assert logits.dtype == "float64"
    alignments = None
    if model.aligns:
        alignments = np.array(model.alignments(**INPUTS))
    for b, n in enumerate(SIZES):
        expected, looked, where = equation(model, b)
        np.testing.assert_allclose(logits[b, :n], expected, atol=1e-10)
        assert not logits[b, n:].numpy().any()
        assert (alignments is None) == (looked is None)
        if alignments is not None:
            np.testing.assert_allclose(alignments[b, :n, where].T, looked, atol=1e-10)
            rest = alignments[b].copy()
            rest[:n, where] = 0
            assert not rest.any()

    def loss_of_equation():
        return sum(
            (equation(model, b)[0] * cotangent[b, :n]).sum()
            for b, n in enumerate(SIZES)
        )

    h = 1e-5
    for variable, gradient in zip(model.trainable_variables, gradients, strict=True):
        value, direction = variable.numpy(), rng.standard_normal(variable.shape)
        sides = []
        for sign in (1, -1):
            variable.assign(value + sign * h * direction)
            sides.append(loss_of_equation())
        variable.assign(value)
        slope = np.sum(tf.convert_to_tensor(gradient).numpy() * direction)
        np.testing.assert_allclose(
            slope, (sides[0] - sides[1]) / (2 * h), atol=1e-7, err_msg=variable.path
        )
        assert abs(slope) > 1e-6, variable.path
