"""Run by test_train_with_jax.py with KERAS_BACKEND=jax: trains a model.

python under_jax.py EXAMPLES TOKENS RUN ANSWERS.npz
"""

import contextlib
import json
import sys
from collections import Counter
from pathlib import Path

sys.modules["tensorflow"] = None  # as where it is not installed
sys.path.insert(0, sys.argv[1])

import numpy as np  # noqa: E402
import train_with_jax as example  # noqa: E402

tokens_dir, run_dir, answers = sys.argv[2:]
traced = Counter()
compute_loss = example.Fitted.compute_loss


def counting(self, x, y, y_pred, sample_weight, training=True):
    traced[training, y.shape] += 1
    return compute_loss(self, x, y, y_pred, sample_weight, training)


example.Fitted.compute_loss = counting
fitted = example.train_with_jax(tokens_dir, run_dir, {"maps": 6, "gate_bias": 0.5})
losses = fitted.history.history["loss"]
surprisals = fitted.history.history["val_surprisal"]
assert losses[-1] < losses[0] - 0.5, losses
assert surprisals[-1] < surprisals[0] - 0.5, surprisals
# Each shape of a bucket is compiled once, over many batches.
assert {n for _, (_, n) in traced} == {4, 8}
assert set(traced.values()) == {1}, traced
tokens = example.Tokens(f"{tokens_dir}/tokens.npz")
inputs, _, _ = example.Validation(tokens)[1]
np.savez(answers, logits=fitted.predict_on_batch(inputs), **inputs)


# Cut off while it writes its weights, it goes on from the validation before.
def cut_off(self, which):
    raise KeyboardInterrupt


example.KeepWeights._save = cut_off
options, more_steps = {"maps": 6, "gate_bias": 0.5}, {"train_steps": 20}
with contextlib.suppress(KeyboardInterrupt):
    example.train_with_jax(tokens_dir, run_dir, options, more_steps)
    raise AssertionError("it was not cut off")

# Goes on from there in bfloat16.
config = json.loads(Path(run_dir, "config.json").read_text())
more = example.new_fitted(config, Path(run_dir), "bfloat16")
assert more.network.compute_dtype == "bfloat16"
assert {v.dtype for v in more.trainable_variables} == {"float32"}
assert int(more.optimizer.iterations) == 10
loss, _ = more.train_on_batch(*next(tokens.training_batches(0, 10)))
assert loss < losses[-1] + 0.1
assert int(more.optimizer.iterations) == 11
assert sys.modules["tensorflow"] is None
print("trained under JAX")
