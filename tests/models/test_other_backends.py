import json
from pathlib import Path

import numpy as np
import oracles
import pytest
import tensorflow as tf
from backend_process import NO_TORCH, output_under

from neural_gpu_tf.models import MODELS

ARGUMENTS = dict(
    vocabulary_size=6,
    maps=3,
    width=2,
    layers=1,
    kernel_initializer="zeros",  # quick under JAX; the weights are read from a file
    embedding_initializer="zeros",
    dropout=0.2,
    seed=1,
)


RECURRENT = dict(
    vocabulary_size=6,
    units=3,
    embedding_size=2,
    layers=1,
    cell="lstm",
    bidirectional=True,
    kernel_initializer="zeros",
    recurrent_initializer="zeros",
    embedding_initializer="zeros",
    dropout=0.2,
    seed=1,
)
STACK = {
    name: x
    for name, x in RECURRENT.items()
    if name not in ("layers", "cell", "bidirectional")
} | dict(stacks=2)
TURING = {name: x for name, x in STACK.items() if name != "stacks"} | dict(
    memory_rows=5, memory_width=3, read_heads=2, write_heads=2
)
POOLED = dict(
    vocabulary_size=6, maps=3, embedding_size=2, layers=2, dropout=0.2, seed=1
)
CASES = {
    "neural_gpu": ARGUMENTS,
    "extended_neural_gpu": ARGUMENTS,
    "hybrid_neural_gpu": ARGUMENTS,
    "markovian_neural_gpu": ARGUMENTS,
    "residual_neural_gpu": ARGUMENTS,
    "diagonal_neural_gpu": ARGUMENTS | dict(relaxations=2),
    "attention_seq2seq": RECURRENT,
    "attention_seq2seq with gru": RECURRENT | dict(cell="gru", layers=2),
    "fixed_memory_seq2seq": RECURRENT,
    "hybrid_seq2seq": RECURRENT | dict(maps=3),
    "rnn_seq2seq": RECURRENT,
    "pooled_neural_gpu": POOLED,
    "stack_rnn": STACK,
    "neural_turing_machine": TURING,
}


QUICK = ("neural_gpu",)  # the others take as long


@pytest.mark.parametrize(
    "backend, name",
    [
        pytest.param(
            backend,
            name,
            marks=[
                *([] if name in QUICK else [pytest.mark.slow]),
                *([NO_TORCH] if backend == "torch" else []),
            ],
        )
        for backend in ("jax", "torch")
        for name in CASES
    ],
)
def test_logits_and_gradients_are_those_of_tensorflow(backend, name, tmp_path):
    """Also the logits step by step; no TensorFlow is imported under the other, and its
    .keras file is read there."""
    arguments = CASES[name]
    name = name.partition(" ")[0]
    model = oracles.randomize(MODELS[name](**arguments))
    rng = np.random.default_rng(0)
    source, target = rng.integers(0, 6, (2, 3, 4), "int32")
    inputs = dict(source=source, target=target, size=np.array([4, 2, 1], "int32"))
    cotangent = rng.standard_normal((3, 4, 6)).astype("float32")
    with tf.GradientTape() as recording:
        logits = model(inputs)
        loss = tf.reduce_sum(logits * cotangent)
    weights = model.trainable_weights
    gradients = recording.gradient(loss, weights)
    np.savez(
        tmp_path / "tensorflow.npz",
        model=name,
        arguments=json.dumps(arguments),
        names=[weight.path for weight in weights],
        cotangent=cotangent,
        logits=logits,
        **inputs,
        **{f"weight_{i}": w.numpy() for i, w in enumerate(weights)},
        **{f"gradient_{i}": tf.convert_to_tensor(g) for i, g in enumerate(gradients)},
    )
    model.save(tmp_path / "tensorflow.keras")
    script = Path(__file__).with_name(f"under_{backend}.py")
    assert "the same" in output_under(backend, script, "tensorflow.npz", cwd=tmp_path)
