import keras
import numpy as np
import pytest
import toy

from neural_gpu_tf.models import AttentionSeq2Seq, HybridSeq2Seq

SGD = {"optimizer": "sgd", "learning_rate": 1.0, "clip_norm": 0.0}
FROZEN = {"trainable": False, "name": "seed_words"}


@pytest.mark.parametrize(
    "make",
    [
        lambda: AttentionSeq2Seq(toy.SYMBOLS, units=4, embedding_size=3),
        pytest.param(
            lambda: HybridSeq2Seq(toy.SYMBOLS, units=4, maps=4, embedding_size=3),
            marks=pytest.mark.slow,
        ),
        lambda: toy.model(layer=lambda **_: keras.layers.Dense(3, **FROZEN)),
    ],
    ids=["attention", "hybrid", "frozen"],
)
def test_several_buckets_of_any_model(make):
    """Of one whose gradients forget their shapes, and one with frozen weights."""
    batches = toy.batch(0, rows=2, columns=3), toy.batch(1, rows=6, columns=5)
    step = toy.step(**SGD, buckets=2, make=make)
    frozen = [x.numpy().copy() for x in step.model.non_trainable_variables]
    expected = sum(float(step.loss(batch).loss) for batch in batches)
    assert float(step(batches).loss) == pytest.approx(expected, rel=1e-5)
    for value, other in zip(step.model.non_trainable_variables, frozen, strict=True):
        np.testing.assert_array_equal(value, other)
