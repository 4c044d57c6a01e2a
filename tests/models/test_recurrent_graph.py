"""The recurrent models in graphs of TensorFlow."""

import inspect

import numpy as np
import oracles
import pytest
import tensorflow as tf

from neural_gpu_tf.decoding import greedy
from neural_gpu_tf.models.attention_seq2seq import AttentionSeq2Seq
from neural_gpu_tf.models.fixed_memory_seq2seq import FixedMemorySeq2Seq
from neural_gpu_tf.models.neural_turing_machine import NeuralTuringMachine
from neural_gpu_tf.models.rnn_seq2seq import RNNSeq2Seq
from neural_gpu_tf.models.stack_rnn import StackRNN

VOCABULARY = 7
INPUTS = dict(
    source=np.array([[3, 0, 5, 6], [2, 4, 6, 3], [0, 0, 0, 4]], "int32"),
    target=np.array([[4, 5, 3, 2], [6, 2, 0, 0], [2, 0, 0, 0]], "int32"),
    size=np.array([4, 2, 3], "int32"),
)
MODELS = dict(
    rnn=(RNNSeq2Seq, dict(cell="lstm")),
    attention=(AttentionSeq2Seq, dict(bidirectional=True)),
    fixed_memory=(FixedMemorySeq2Seq, dict(contexts=3, position_encoding=True)),
    stack=(StackRNN, dict(stacks=2)),
    turing=(NeuralTuringMachine, dict(memory_rows=5, memory_width=3)),
)


QUICK = ("attention",)  # the others differ less from it than they take


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[] if name in QUICK else pytest.mark.slow)
        for name in MODELS
    ],
)
def test_a_tf_function_with_unknown_shapes(name):
    """Batch and columns unknown: the same logits, gradients and output as eagerly."""
    cls, options = MODELS[name]
    if "layers" in inspect.signature(cls.__init__).parameters:
        options = options | dict(layers=1)
    model = cls(VOCABULARY, units=3, embedding_size=2, **options)
    oracles.randomize(model)

    def run(source, target, size):
        with tf.GradientTape() as recording:
            logits = model(dict(source=source, target=target, size=size))
            loss = tf.reduce_sum(logits**2)
        weights = [v.value for v in model.trainable_variables]
        gradients = recording.gradient(loss, weights)
        hypotheses = greedy(model, source, size)
        return logits, [tf.convert_to_tensor(g) for g in gradients], hypotheses

    symbols = tf.TensorSpec([None, None], tf.int32)
    traced = tf.function(
        run,
        input_signature=[symbols, symbols, tf.TensorSpec([None], tf.int32)],
        autograph=False,
    )
    logits, gradients, hypotheses = run(**INPUTS)
    logits_traced, gradients_traced, hypotheses_traced = traced(**INPUTS)
    np.testing.assert_allclose(logits_traced, logits, atol=1e-6)
    for a, b in zip(gradients_traced, gradients, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-5)
    np.testing.assert_array_equal(hypotheses_traced.symbols, hypotheses.symbols)
