"""Tiny recurrent models, and what is asked of each of them."""

import contextlib
import functools

import keras
import numpy as np
import oracles
import pytest
import tensorflow as tf

from neural_gpu_tf.models.attention_seq2seq import AttentionSeq2Seq
from neural_gpu_tf.models.fixed_memory_seq2seq import FixedMemorySeq2Seq
from neural_gpu_tf.models.neural_turing_machine import NeuralTuringMachine
from neural_gpu_tf.models.pooled_neural_gpu import PooledNeuralGPU
from neural_gpu_tf.models.rnn_seq2seq import RNNSeq2Seq
from neural_gpu_tf.models.stack_rnn import StackRNN

VOCABULARY = 7
SIZES = np.array([4, 2, 1, 3], "int32")
N = 4
SOURCE = np.array([[3, 0, 5, 6], [2, 4, 6, 3], [5, 0, 1, 2], [0, 0, 0, 4]], "int32")
MODELS = dict(
    rnn=(RNNSeq2Seq, dict(cell="lstm")),
    attention=(AttentionSeq2Seq, dict(bidirectional=True, layers=1)),
    fixed_memory=(
        FixedMemorySeq2Seq,
        dict(contexts=3, position_encoding=True, layers=1),
    ),
    stack=(StackRNN, dict(stacks=2)),
    turing=(
        NeuralTuringMachine,
        dict(memory_rows=5, memory_width=3, read_heads=2),
    ),
    pooled=(PooledNeuralGPU, {}),
)
NOTHING = dict(stack=-1)  # what stands where an example has nothing; else 0
models = pytest.mark.parametrize("name", MODELS)
recurrent = pytest.mark.parametrize("name", [x for x in MODELS if x != "pooled"])


def build(cls, **kwargs):
    units = "maps" if cls is PooledNeuralGPU else "units"
    kwargs = {units: 3} | kwargs
    return oracles.randomize(cls(VOCABULARY, embedding_size=2, **kwargs))


@functools.cache
def shared(name):
    """A model that no test changes."""
    cls, options = MODELS[name]
    return build(cls, **options)


@functools.cache
def compiled(name):
    """Its logits, quicker than eagerly."""
    model = shared(name)  # made inside the function its weights would be others
    symbols, size = (
        tf.TensorSpec([None, None], tf.int32),
        tf.TensorSpec([None], tf.int32),
    )
    run = tf.function(
        lambda source, target, size: model(
            dict(source=source, target=target, size=size)
        ),
        input_signature=[symbols, symbols, size],
    )
    return lambda inputs: np.array(run(**inputs))


@contextlib.contextmanager
def policy(name):
    before = keras.config.dtype_policy()
    keras.config.set_dtype_policy(name)
    try:
        yield
    finally:
        keras.config.set_dtype_policy(before)


def batch(seed=0):
    """A hole in the source, none, only a hole beyond the size, and an empty one."""
    rng = np.random.default_rng(seed)
    target = rng.integers(0, VOCABULARY, (len(SIZES), N), "int32")
    return dict(source=SOURCE, target=target, size=SIZES)


def example(inputs, b):
    """Example b alone, on a tensor of its own size."""
    n = inputs["size"][b]
    return {
        name: x[b : b + 1] if name == "size" else x[b : b + 1, :n]
        for name, x in inputs.items()
    }


def step_by_step(model, inputs):
    """The state at the start and after each step, and the logits [batch, n, v]."""
    state = model.start(inputs["source"], inputs["size"])
    states, logits = [state], []
    for t in range(inputs["source"].shape[1]):
        previous = inputs["target"][:, t - 1]  # at t = 0 any symbol: it is GO
        state, scores = model.step(state, previous, t)
        states.append(state)
        logits.append(scores)
    return states, np.stack(logits, axis=1)
