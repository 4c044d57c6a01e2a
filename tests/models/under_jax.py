"""Run by test_other_backends.py with KERAS_BACKEND=jax; its argument is an .npz file.

The file holds what TensorFlow computed; this checks that JAX computes the same.
"""

import json
import sys

import jax
import keras
import numpy as np

from neural_gpu_tf.layers.dropout_limit import dropout_at_most
from neural_gpu_tf.models import MODELS

assert keras.backend.backend() == "jax"
assert "tensorflow" not in sys.modules, "layers or models import TensorFlow"

expected = np.load(sys.argv[1])
inputs = {name: expected[name] for name in ("source", "target", "size")}
arguments = json.loads(str(expected["arguments"]))
model = MODELS[str(expected["model"])](**arguments)
names = [weight.path for weight in model.trainable_weights]
assert names == [str(name) for name in expected["names"]]
weights = [expected[f"weight_{i}"] for i in range(len(names))]
frozen = [variable.value for variable in model.non_trainable_variables]


def loss(weights, frozen, training=False):
    logits, frozen = model.stateless_call(weights, frozen, inputs, training=training)
    return (logits * expected["cotangent"]).sum(), (logits, frozen)


@jax.jit
def start(weights):
    with keras.StatelessScope(state_mapping=pairs(weights)):
        return model.start(inputs["source"], inputs["size"])


@jax.jit
def step(weights, state, previous, t):
    with keras.StatelessScope(state_mapping=pairs(weights)):
        return model.step(state, previous, t)


def pairs(weights):
    return list(zip(model.trainable_variables, weights, strict=True))


value_and_gradient = jax.jit(
    jax.value_and_grad(loss, has_aux=True), static_argnames="training"
)
(_, (logits, _)), gradients = value_and_gradient(weights, frozen)
np.testing.assert_allclose(logits, expected["logits"], atol=1e-4)
for i, name in enumerate(names):
    np.testing.assert_allclose(
        gradients[i], expected[f"gradient_{i}"], atol=1e-4, err_msg=name
    )
# In training the gradient is one by hand: here with nothing dropped.
with dropout_at_most(0.0):
    in_training = jax.jit(jax.grad(lambda *x: loss(*x, training=True)[0]))
    gradients = in_training(weights, frozen)
for i, name in enumerate(names):
    np.testing.assert_allclose(
        gradients[i], expected[f"gradient_{i}"], atol=1e-4, err_msg=name
    )
# The gradient of what JAX traces again is the same.
seen = value_and_gradient(weights, frozen, True)[1]
for again in (jax.jit, jax.checkpoint):
    traced = again(lambda *given: loss(*given, training=True)[0])
    found = jax.grad(traced)(weights, frozen)
    for i, name in enumerate(names):
        np.testing.assert_allclose(found[i], seen[i], atol=1e-5, err_msg=name)
state = start(weights)
for t in range(inputs["source"].shape[1]):
    state, logits_t = step(weights, state, inputs["target"][:, t - 1], t)
    np.testing.assert_allclose(logits_t, expected["logits"][:, t], atol=1e-4)

# With dropout: other random numbers than TensorFlow's, so the slope along the gradient.
(_, (dropped, next_frozen)), gradients = value_and_gradient(weights, frozen, True)
assert np.abs(dropped - logits).max() > 1e-3
assert any((a != b).any() for a, b in zip(frozen, next_frozen, strict=True))
norm = np.sqrt(sum((g**2).sum() for g in gradients))
sides = [
    value_and_gradient(
        [w + h / norm * g for w, g in zip(weights, gradients, strict=True)],
        frozen,
        True,
    )[0][0]
    for h in (3e-3, -3e-3)
]
np.testing.assert_allclose((sides[0] - sides[1]) / 6e-3, norm, rtol=2e-2)
copy = keras.models.load_model("tensorflow.keras")
for i, weight in enumerate(copy.trainable_weights):
    found = keras.ops.convert_to_numpy(weight)
    np.testing.assert_array_equal(found, expected[f"weight_{i}"], err_msg=weight.path)
print("the same")
