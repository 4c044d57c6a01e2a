"""The loss by way of all logits, and by way of those that count."""

import functools

import keras
import numpy as np
import oracles
import pytest
import tensorflow as tf
import toy

from neural_gpu_tf.models import MODELS, build_model
from neural_gpu_tf.options import ModelConfig
from neural_gpu_tf.training.batch_loss import BatchLoss

VOCABULARY = 9
SMALL = dict(maps=4, width=2, layers=1, units=4, embedding_size=4)
WITHOUT = ("pooled_neural_gpu",)  # whose logits are a product and a bias
QUICK = ("attention_seq2seq", "neural_gpu", *WITHOUT)
models = pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[] if name in QUICK else pytest.mark.slow)
        for name in MODELS
    ],
)


def new_model(name, dtype=None, **options):
    config = ModelConfig(model=name, **SMALL | options)
    return oracles.randomize(build_model(config, VOCABULARY, seed=1, dtype=dtype))


def found(model, batch, blanks_count=False, compiled=False, smoothing=0.1, parts=1):
    """Loss, auxiliary loss, right examples, and the gradients of all weights."""
    loss = BatchLoss(model, smoothing, blanks_count, parts, compiled)
    weights = [v.value for v in model.trainable_variables]
    with tf.GradientTape() as tape:
        sums = loss(batch)
    gradients = tape.gradient(
        sums.loss, weights, unconnected_gradients=tf.UnconnectedGradients.ZERO
    )
    return [*sums, *map(tf.convert_to_tensor, gradients)]


def assert_close(one, other, tolerance=1e-5):
    for x, y in zip(one, other, strict=True):
        np.testing.assert_allclose(x, y, rtol=tolerance, atol=tolerance)


@models
@pytest.mark.parametrize("blanks_count", [False, True])
def test_every_model(name, blanks_count):
    model = new_model(name)
    before = [v.path for v in model.variables]
    batch = toy.batch(symbols=VOCABULARY)
    assert (model.before_readout() is None) == (name in WITHOUT)
    of_product = found(model, batch, blanks_count)
    assert_close(of_product, found(model, batch, blanks_count, compiled=True))
    assert [v.path for v in model.variables] == before


def test_right_examples_are_found():
    """By a model that has learned the batch; blanks between do not count."""
    model, batch = new_model("rnn_seq2seq"), toy.batch(symbols=VOCABULARY)
    optimizer = keras.optimizers.Adam(0.05)
    optimizer.build(model.trainable_variables)
    ways = [
        tf.function(functools.partial(found, model, batch, compiled=x, smoothing=0.0))
        for x in (False, True)
    ]
    seen = set()
    for step in range(40):
        loss, _, right, *gradients = ways[0]()
        if step % 12 == 0:
            same = ways[1]()
            np.testing.assert_allclose([loss, right], [same[0], same[2]], atol=1e-4)
        seen.add(int(right))
        optimizer.apply(gradients, model.trainable_variables)
    assert max(seen) == 4 and len(seen) > 2


def test_more_parts_than_rows():
    model, batch = new_model("rnn_seq2seq"), toy.batch(rows=2, symbols=VOCABULARY)
    assert_close(found(model, batch, parts=3), found(model, batch))


def test_nothing_but_padding():
    model, batch = new_model("rnn_seq2seq"), toy.batch(symbols=VOCABULARY)
    batch["target"] = tf.zeros_like(batch["target"])
    loss, _, right, *gradients = found(model, batch)
    assert float(loss) == 0 and float(right) == 4
    assert not any(gradient.numpy().any() for gradient in gradients)


def test_mixed_bfloat16():
    model = new_model("attention_seq2seq", "mixed_bfloat16", bidirectional=True)
    batch = toy.batch(symbols=VOCABULARY)
    ours, plain = found(model, batch), found(model, batch, compiled=True)
    assert {x.dtype for x in ours} == {tf.float32}
    assert float(ours[0]) == pytest.approx(float(plain[0]), rel=0.01)
    for one, other in zip(ours[3:], plain[3:], strict=True):
        scale = np.abs(other).max()
        np.testing.assert_allclose(one, other, atol=0.05 * scale)


def test_dropout_is_that_of_the_model():
    losses = []
    for compiled in (False, True):
        model = new_model("attention_seq2seq", dropout=0.5)
        batch = toy.batch(symbols=VOCABULARY)
        losses.append([found(model, batch, compiled=compiled)[0] for _ in range(2)])
    np.testing.assert_allclose(*losses, rtol=1e-5)
    assert abs(losses[0][0] - losses[0][1]) > 1e-3
