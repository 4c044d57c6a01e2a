"""Run by test_other_backends.py with KERAS_BACKEND=torch; its argument is an .npz file.

The file holds what TensorFlow computed; this checks that PyTorch computes the same.
"""

import json
import sys

import keras
import numpy as np
import torch

from neural_gpu_tf.layers.dropout_limit import dropout_at_most
from neural_gpu_tf.models import MODELS

assert keras.backend.backend() == "torch"
assert "tensorflow" not in sys.modules, "layers or models import TensorFlow"

expected = np.load(sys.argv[1])
inputs = {name: torch.tensor(expected[name]) for name in ("source", "target", "size")}
cotangent = torch.tensor(expected["cotangent"])
arguments = json.loads(str(expected["arguments"]))
model = MODELS[str(expected["model"])](**arguments)
weights = model.trainable_weights
assert [weight.path for weight in weights] == [str(name) for name in expected["names"]]
for i, weight in enumerate(weights):
    weight.assign(expected[f"weight_{i}"])


def logits_and_gradients(training):
    model.zero_grad()
    logits = model(inputs, training=training)
    (logits * cotangent).sum().backward()
    gradients = [weight.value.grad.clone() for weight in weights]
    return logits.detach(), gradients


def check(training):
    logits, gradients = logits_and_gradients(training)
    np.testing.assert_allclose(logits, expected["logits"], atol=1e-4)
    for i, (weight, gradient) in enumerate(zip(weights, gradients, strict=True)):
        told = expected[f"gradient_{i}"]
        np.testing.assert_allclose(gradient, told, atol=1e-4, err_msg=weight.path)


check(training=False)
with dropout_at_most(0.0):  # in training the gradient is one by hand
    check(training=True)
with torch.no_grad():
    state = model.start(inputs["source"], inputs["size"])
    for t in range(inputs["source"].shape[1]):
        state, logits = model.step(state, inputs["target"][:, t - 1], t)
        np.testing.assert_allclose(logits, expected["logits"][:, t], atol=1e-4)

# With dropout: other random numbers than TensorFlow's, so the slope along the gradient.
seeds = [v for v in model.non_trainable_variables if "seed" in v.path]
before = [keras.ops.convert_to_numpy(seed).copy() for seed in seeds]
dropped, gradients = logits_and_gradients(training=True)
assert np.abs(dropped.numpy() - expected["logits"]).max() > 1e-3
norm = np.sqrt(sum(float((g**2).sum()) for g in gradients))
start = [keras.ops.convert_to_numpy(weight).copy() for weight in weights]
sides = []
for h in (3e-3, -3e-3):
    after = [keras.ops.convert_to_numpy(seed) for seed in seeds]
    assert any((a != b).any() for a, b in zip(before, after, strict=True))
    for seed, value in zip(seeds, before, strict=True):
        seed.assign(value)
    for weight, value, gradient in zip(weights, start, gradients, strict=True):
        weight.assign(value + h / norm * gradient.numpy())
    with torch.no_grad():
        sides.append(float((model(inputs, training=True) * cotangent).sum()))
np.testing.assert_allclose((sides[0] - sides[1]) / 6e-3, norm, rtol=2e-2)
copy = keras.models.load_model("tensorflow.keras")
for i, weight in enumerate(copy.trainable_weights):
    found = keras.ops.convert_to_numpy(weight)
    np.testing.assert_array_equal(found, expected[f"weight_{i}"], err_msg=weight.path)
print("the same")
