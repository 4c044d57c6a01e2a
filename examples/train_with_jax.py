"""Trains any model of the package with Keras `fit` under JAX, without TensorFlow.

python examples/prepare_tokens.py --flagfile=configs/multi30k_extended.flags \\
  --data_dir=DIR --tokens=TOKENS                      # where TensorFlow is
KERAS_BACKEND=jax python examples/train_with_jax.py \\
  --tokens=TOKENS --run_dir=RUN --dtype=bfloat16      # where the accelerator is
neural-gpu-evaluate --run_dir=RUN --json              # where TensorFlow is, again

Needs jax, keras, absl-py and numpy, and the package on the PYTHONPATH. The experiment
is the one of TOKENS/config.json; the model's flags given here, --train_steps,
--learning_rate and --validate_every win over it. Every bucket has one shape, so its
step is compiled once. RUN becomes a run directory like any other, with the best and
the last weights, to evaluate, translate with and export; the same command goes on where
one was stopped, from its last validation.
"""

import datetime
import importlib.metadata
import json
import math
import os
import shutil
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import keras
import numpy as np
from absl import app, flags, logging
from keras import ops

from neural_gpu_tf.bin import flags as config_flags
from neural_gpu_tf.configuration import from_dict
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.models import build_model
from neural_gpu_tf.options import ModelConfig
from neural_gpu_tf.types import Tensor

Batch = tuple[dict[str, np.ndarray], np.ndarray, np.ndarray]

PAD = 0
NAMES = ("source", "target", "size")
STATE = "fit.weights.h5"
"""The weights with the optimizer's variables: what it takes to go on."""
POLICIES = {"float32": "float32", "bfloat16": "mixed_bfloat16"}
ONLY = {
    "model": {"relaxations": 1},
    "training": {
        "init_from": "",
        "optimizer": "adam",
        "clip_usual": 0.0,
        "gradient_noise": 0.0,
    },
}
"""Options that have no other value here."""
MAY_CHANGE = ("train_steps", "learning_rate", "validate_every")
"""Training options that may be given again."""


class Tokens:
    """Batches, each of the shape of its bucket, from what prepare_tokens.py wrote.

    Args:
        path: tokens.npz.

    Raises:
        InputError: it is not there, or does not fill one batch.
    """

    def __init__(self, path: str | os.PathLike[str]):
        try:
            with np.load(path) as file:
                self.arrays = dict(file)
        except OSError as error:
            raise InputError(
                f"{path}: can't read it ({error.strerror}); write it with "
                "examples/prepare_tokens.py"
            ) from error
        self.buckets = [tuple(map(int, row)) for row in self.arrays["buckets"]]
        self.batches_in_a_pass = sum(
            self.pairs("train", n) // rows for n, rows in self.buckets
        )
        if not self.batches_in_a_pass:
            raise InputError(
                f"{path}: the training pairs do not fill one batch; prepare more, or "
                "with a lower --max_batch_size"
            )

    def pairs(self, split: str, n: int) -> int:
        """How many pairs of a split are in the bucket of n columns."""
        return len(self.arrays.get(f"{split}_{n}_size", ()))

    def training_batches(self, seed: int, step: int) -> Iterator[Batch]:
        """Full batches without end, from a step on.

        Each pass over the pairs has another order, a function of (seed, pass). What is
        left over in a bucket is left out, other pairs in each pass.
        """
        while True:
            number, done = divmod(step, self.batches_in_a_pass)
            rng = np.random.default_rng([seed, number])
            order = []
            for n, rows in self.buckets:
                chosen = rng.permutation(self.pairs("train", n))
                full = len(chosen) - len(chosen) % rows
                order += [(n, part) for part in chosen[:full].reshape(-1, rows)]
            for k in rng.permutation(len(order))[done:]:
                yield self.batch("train", *order[k])
                step += 1

    def batch(self, split: str, n: int, chosen: np.ndarray) -> Batch:
        """Inputs, target and which of its symbols count."""
        values = [self.arrays[f"{split}_{n}_{name}"][chosen] for name in NAMES]
        inputs = dict(zip(NAMES, (x.astype(np.int32) for x in values), strict=True))
        target = inputs["target"]
        return inputs, target, (target != PAD).astype(np.float32)


class Validation(keras.utils.PyDataset):
    """Every validation pair once; what fills up a batch does not count."""

    def __init__(self, tokens: Tokens):
        super().__init__()
        self.tokens = tokens
        self.batches = [
            (n, count, np.arange(first, first + rows))
            for n, rows in tokens.buckets
            for count in [tokens.pairs("validation", n)]
            for first in range(0, count, rows)
        ]

    def __len__(self) -> int:
        return len(self.batches)

    def __getitem__(self, index: int) -> Batch:
        n, count, rows = self.batches[index]
        inputs, target, counted = self.tokens.batch("validation", n, rows % count)
        return inputs, target, counted * (rows < count)[:, None]


class LearningRate(keras.optimizers.schedules.LearningRateSchedule):
    """The schedule of neural-gpu-train, `neural_gpu_tf/optimizers/schedules.py`."""

    def __init__(self, options: Mapping[str, Any]):
        self.options = options

    def __call__(self, step: Tensor) -> Tensor:
        options = self.options
        t = ops.cast(step, "float32")
        warmup = float(options["warmup_steps"])
        start = max(warmup, float(options["decay_from"]))
        f = ops.clip((t - start) / max(options["train_steps"] - start, 1.0), 0.0, 1.0)
        factor = {
            "constant": lambda: ops.ones_like(t),
            "linear": lambda: 1.0 - f,
            "cosine": lambda: (1.0 + ops.cos(math.pi * f)) / 2.0,
            "inverse_sqrt": lambda: ops.sqrt(
                (start + 1.0) / (ops.maximum(t, start) + 1.0)
            ),
        }[options["schedule"]]()
        rising = (t + 1.0) / (warmup + 1.0)
        return options["learning_rate"] * ops.where(t < warmup, rising, factor)


class Fitted(keras.Model):
    """A network with the loss that it is fitted by.

        L = 1/N Σ_k c(k) + w A,   c(k) = - log p(o_k)
                                  or - (1 - ε) log p(o_k) - ε/v Σ_i log p(i)

    over the N symbols of the batch that count. A is what the network's layers add as
    losses, w = min(1, α L/A) for the learning rate α, so it stays small beside L.
    (As `neural_gpu_tf/training/losses.py` and `auxiliary_weight.py`, but that w is of
    this step, and of the highest α.)

    Args:
        network: a model of the package.
        options: the training options.
    """

    def __init__(self, network: keras.Model, options: Mapping[str, Any]):
        super().__init__()
        self.network = network
        self.label_smoothing = options["label_smoothing"]
        self.highest_rate = options["learning_rate"]
        self.built = True  # as the network is

    def call(self, inputs: dict[str, Tensor], training: bool | None = None) -> Tensor:
        return self.network(inputs, training=training)

    def compute_loss(
        self,
        x: Any = None,
        y: Tensor | None = None,
        y_pred: Tensor | None = None,
        sample_weight: Tensor | None = None,
        training: bool = True,
    ) -> Tensor:
        logits = ops.cast(y_pred, "float32")
        costs = ops.sparse_categorical_crossentropy(y, logits, from_logits=True)
        if self.label_smoothing:
            even = ops.logsumexp(logits, axis=-1) - ops.mean(logits, axis=-1)
            costs += self.label_smoothing * (even - costs)
        symbols = ops.maximum(ops.sum(sample_weight), 1.0)
        loss = ops.sum(costs * sample_weight) / symbols
        if not self.losses:
            return loss
        auxiliary = sum(ops.cast(one, "float32") for one in self.losses)
        weight = self.highest_rate * loss / ops.maximum(auxiliary, 1e-30)
        return loss + ops.stop_gradient(ops.minimum(weight, 1.0)) * auxiliary


class Surprisal(keras.metrics.Mean):
    """-1/N Σ log p(o_k) over N symbols that count. (Keras's weighs pairs by 1/n.)"""

    def __init__(self):
        super().__init__("surprisal")

    def update_state(
        self, y_true: Tensor, y_pred: Tensor, sample_weight: Tensor | None = None
    ) -> None:
        logits = ops.cast(y_pred, "float32")
        nats = ops.sparse_categorical_crossentropy(y_true, logits, from_logits=True)
        super().update_state(ops.ravel(nats), ops.ravel(sample_weight))


class KeepWeights(keras.callbacks.Callback):
    """Writes last.weights.h5, best.weights.h5 and summary.json after a validation.

    Args:
        network: whose weights they are.
        run_dir: where to write.
        validate_every: steps between validations.
    """

    def __init__(self, network: keras.Model, run_dir: Path, validate_every: int):
        super().__init__()
        self.network = network
        self.run_dir = run_dir
        self.validate_every = validate_every
        self.summary = run_dir / "summary.json"
        before = json.loads(self.summary.read_text()) if self.summary.exists() else {}
        self.best = before.get("best_perplexity_symbol", math.inf)
        self.start = time.monotonic() - before.get("train_seconds", 0.0)

    def on_epoch_end(self, epoch: int, logs: Mapping[str, float]) -> None:
        surprisal = logs["val_surprisal"]
        perplexity = math.exp(surprisal) if surprisal < 700 else math.inf
        self._save("last")
        if perplexity < self.best or not (self.run_dir / "best.weights.h5").exists():
            self._save("best")
            self.best = perplexity
        step = (epoch + 1) * self.validate_every
        summary = {
            "step": step,
            "perplexity_symbol": perplexity,
            "best_perplexity_symbol": self.best,
            "train_seconds": time.monotonic() - self.start,
        }
        self.summary.write_text(json.dumps(summary) + "\n")
        logging.info(
            "step %d  loss %.4g  validation perplexity_symbol %.4g",
            *(step, logs["loss"], perplexity),
        )

    def _save(self, which: str) -> None:
        """Readers see the old file or the new one, never a part."""
        beside = self.run_dir / f".new.{which}.weights.h5"
        self.network.save_weights(beside)
        beside.replace(self.run_dir / f"{which}.weights.h5")


def train_with_jax(
    tokens_dir: str | os.PathLike[str],
    run_dir: str | os.PathLike[str],
    model: Mapping[str, Any] = {},  # noqa: B006
    training: Mapping[str, Any] = {},  # noqa: B006
    dtype: str = "float32",
    command: Sequence[str] = tuple(sys.argv),
) -> Fitted:
    """Trains, or goes on with it.

    Args:
        tokens_dir: what prepare_tokens.py wrote.
        run_dir: the run directory.
        model, training: options that win over those of `tokens_dir`.
        dtype: of `POLICIES`; weights are float32 always.
        command: what to write down as the start's command.

    Returns:
        The model with its optimizer; at the end it has the averaged weights, if there
        is an average.

    Raises:
        InputError: something given is missing or wrong.
    """
    if keras.backend.backend() != "jax":
        raise InputError(
            f"KERAS_BACKEND={keras.backend.backend()}: start with KERAS_BACKEND=jax, "
            "or train with neural-gpu-train"
        )
    tokens_dir, run_dir = Path(tokens_dir), Path(run_dir)
    tokens = Tokens(tokens_dir / "tokens.npz")
    config = begin(tokens_dir, run_dir, model, training, dtype, command)
    fitted = new_fitted(config, run_dir, dtype)
    options = config["training"]
    done = int(fitted.optimizer.iterations)
    every = options["validate_every"]
    averaging = [keras.callbacks.SwapEMAWeights(swap_on_epoch=True)]
    fitted.fit(
        tokens.training_batches(options["training_seed"], done),
        initial_epoch=done // every,
        epochs=options["train_steps"] // every,
        steps_per_epoch=every,
        shuffle=False,
        validation_data=Validation(tokens),
        callbacks=[
            keras.callbacks.ModelCheckpoint(run_dir / STATE, save_weights_only=True),
            *(averaging if options["average_decay"] else []),
            KeepWeights(fitted.network, run_dir, every),
        ],
        verbose=0,
    )
    return fitted


def new_fitted(config: Mapping[str, Any], run_dir: Path, dtype: str) -> Fitted:
    """The model, ready to fit; as it was left, if training has begun."""
    options = config["training"]
    seed = options["training_seed"]
    keras.config.set_dtype_policy(POLICIES[dtype])
    keras.utils.set_random_seed(seed)
    model = from_dict(ModelConfig, config["model"], str(run_dir / "config.json"))
    network = build_model(model, config["vocabulary_size"], seed=seed)
    fitted = Fitted(network, options)
    optimizer = keras.optimizers.Adam(
        LearningRate(options),
        beta_1=options["adam_beta_1"],
        beta_2=options["adam_beta_2"],
        epsilon=options["adam_epsilon"],
        global_clipnorm=options["clip_norm"] or None,
        use_ema=bool(options["average_decay"]),
        ema_momentum=options["average_decay"] or 0.99,
    )
    optimizer.build(network.trainable_variables)
    fitted.compile(optimizer, weighted_metrics=[Surprisal()], jit_compile=True)
    if (run_dir / STATE).exists():
        fitted.load_weights(run_dir / STATE)
    return fitted


def begin(
    tokens_dir: Path,
    run_dir: Path,
    model: Mapping[str, Any],
    training: Mapping[str, Any],
    dtype: str,
    command: Sequence[str],
) -> dict[str, Any]:
    """Makes the run directory: config.json, which it returns, vocab.txt, starts.jsonl.

    Raises:
        InputError: the run there has another configuration, or options do not fit.
    """
    config = json.loads((tokens_dir / "config.json").read_text("utf-8"))
    config["model"] |= model
    config["training"] |= training
    options = config["training"]
    for concern, values in ONLY.items():
        for name, only in values.items():
            if config[concern].get(name, only) != only:
                raise InputError(
                    f"--{name}={config[concern][name]}: under JAX only {only!r}; "
                    "prepare the tokens with that"
                )
    if options["train_steps"] % options["validate_every"]:
        raise InputError(
            f"--train_steps={options['train_steps']}: must be a multiple of "
            f"--validate_every={options['validate_every']}"
        )
    path = run_dir / "config.json"
    if path.exists():
        here = json.loads(path.read_text("utf-8"))
        here["training"] |= {name: options[name] for name in MAY_CHANGE}
        if here != config:
            raise InputError(
                f"{path}: a run of other options is here; choose another --run_dir"
            )
    run_dir.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(tokens_dir / "vocab.txt", run_dir / "vocab.txt")
    path.write_text(json.dumps(config, indent=2) + "\n", "utf-8")
    start = {
        "time": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "command": list(command),
        "python": sys.version.split()[0],
        "packages": {
            name: importlib.metadata.version(name) for name in ("jax", "keras", "numpy")
        },
        "dtype": dtype,
    }
    with open(run_dir / "starts.jsonl", "a", encoding="utf-8") as file:
        file.write(json.dumps(start) + "\n")
    return config


def main(argv: Sequence[str]) -> None:
    args = flags.FLAGS
    logging.set_verbosity(logging.INFO)
    training = {
        name: getattr(args, name)
        for name in MAY_CHANGE
        if getattr(args, name) is not None
    }
    model = config_flags.given(ModelConfig)
    try:
        train_with_jax(args.tokens, args.run_dir, model, training, args.dtype, sys.argv)
    except InputError as error:
        print(f"train_with_jax: {error}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    flags.DEFINE_string("tokens", None, "what examples/prepare_tokens.py wrote")
    flags.DEFINE_string("run_dir", None, "run directory: new, or one to go on with")
    flags.DEFINE_enum("dtype", "float32", POLICIES, "of the arithmetic")
    flags.DEFINE_integer("train_steps", None, "steps of training in all", lower_bound=1)
    flags.DEFINE_float("learning_rate", None, "highest learning rate", lower_bound=0)
    flags.DEFINE_integer("validate_every", None, "steps between validations", 1)
    config_flags.define(ModelConfig)
    flags.mark_flags_as_required(["tokens", "run_dir"])
    app.run(main)
