"""The textbook implementation is an oracle at sizes that NumPy's is too slow for."""

import numpy as np
import pytest
import tensorflow as tf

from benchmarks.naive import Naive
from neural_gpu_tf.models import ExtendedNeuralGPU, NeuralGPU


@pytest.mark.parametrize(
    "cls, width, cutoff", [(NeuralGPU, 1, 1.0), (ExtendedNeuralGPU, 4, 1.2)]
)
def test_loss_and_gradients_are_the_same(cls, width, cutoff):
    tf.keras.utils.set_random_seed(0)
    model = cls(16, maps=12, width=width, cutoff=cutoff)
    naive = Naive(model)
    source, target = np.random.default_rng(0).integers(0, 16, (2, 5, 9))
    size = np.full(5, 9)
    with tf.GradientTape() as tape:
        logits = model(dict(source=source, target=target, size=size))
        loss = tf.reduce_mean(
            tf.nn.sparse_softmax_cross_entropy_with_logits(labels=target, logits=logits)
        )
    mine = tape.gradient(loss, [v.value for v in model.trainable_variables])
    with tf.GradientTape() as tape:
        other = tf.function(naive.loss)(source, target)
    theirs = tape.gradient(other, naive.variables)
    np.testing.assert_allclose(loss, other, rtol=1e-4)
    norms = [
        np.sqrt(sum(np.sum(np.square(tf.convert_to_tensor(g))) for g in gradients))
        for gradients in (mine, theirs)
    ]
    np.testing.assert_allclose(*norms, rtol=1e-4)
    for model_variable, naive_variable in (
        (model.source_embedding.embeddings, naive.E),
        (model.readout.kernel, naive.O),
        (model.encoder.units[1].candidate_kernel, naive.encoder[1].U),
    ):
        i = [v is model_variable for v in model.trainable_variables].index(True)
        j = [v is naive_variable for v in naive.variables].index(True)
        one, another = (tf.convert_to_tensor(g) for g in (mine[i], theirs[j]))
        np.testing.assert_allclose(one, another, atol=1e-4 * np.abs(one).max())
