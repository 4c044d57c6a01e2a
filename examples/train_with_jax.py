"""Trains any model of the package with Keras `fit` under JAX, without TensorFlow.

python examples/prepare_tokens.py --flagfile=configs/multi30k_extended.flags \\
  --data_dir=DIR --tokens=TOKENS                      # where TensorFlow is
KERAS_BACKEND=jax python examples/train_with_jax.py \\
  --tokens=TOKENS --run_dir=RUN --dtype=bfloat16      # where the accelerator is
neural-gpu-evaluate --run_dir=RUN --json              # where TensorFlow is, again

Needs jax, keras, absl-py and numpy, the package on the PYTHONPATH, and beside this file
token_batches.py (the input) and fitted_model.py (loss and metric). The
experiment is the one of TOKENS/config.json; the model's flags given here,
--train_steps, --learning_rate and --validate_every win over it. Every bucket has one
shape, so its step is compiled once. RUN becomes a run directory like any other, with
the best and the last weights, to evaluate, translate with and export; the same command
goes on where one was stopped, from its last validation.
"""

import datetime
import importlib.metadata
import json
import math
import os
import shutil
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import keras
from absl import app, flags, logging
from fitted_model import Fitted, Surprisal
from run_config import CHECKED, read_config
from token_batches import Tokens, Validation

from neural_gpu_tf.bin import flags as config_flags
from neural_gpu_tf.configuration import from_dict
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.files import write_atomically
from neural_gpu_tf.models import build_model
from neural_gpu_tf.optimizers import learning_rate
from neural_gpu_tf.options import ModelConfig, TrainingConfig

STATE = "fit.weights.h5"
"""The weights with the optimizer's variables: what it takes to go on."""
POLICIES = {"float32": "float32", "bfloat16": "mixed_bfloat16"}
ONLY = {
    "model": {"relaxations": 1},
    "training": {
        "init_from": "",
        "optimizer": "adam",
        "autoclip": 0.0,
        "gradient_noise": 0.0,
        "train_minutes": 0.0,
        "patience": 0,
        "precision": "float32",  # --dtype tells
    },
}
"""Options that have no other value here."""
MAY_CHANGE = ("train_steps", "learning_rate", "validate_every")
"""Training options that may be given again."""


class WriteState(keras.callbacks.Callback):
    """Writes what it takes to go on; `KeepWeights` puts it in the old one's place."""

    def __init__(self, run_dir: Path):
        super().__init__()
        self.beside = run_dir / f".new.{STATE}"

    def on_epoch_end(self, epoch: int, logs: Mapping[str, float]) -> None:
        self.model.save_weights(self.beside)


class KeepWeights(keras.callbacks.Callback):
    """Writes last.weights.h5, best.weights.h5 and summary.json after a validation.

    Then the new state takes the old one's place: training that is cut off goes on
    from the last validation that is wholly written.

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
        write_atomically(self.summary, (json.dumps(summary) + "\n").encode())
        (self.run_dir / f".new.{STATE}").replace(self.run_dir / STATE)
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
            WriteState(run_dir),
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
    path = run_dir / "config.json"
    model = from_dict(ModelConfig, config["model"], str(path))
    network = build_model(model, config["vocabulary_size"], seed=seed)
    fitted = Fitted(network, options)
    optimizer = keras.optimizers.Adam(
        learning_rate(from_dict(TrainingConfig, options, str(path))),
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


def check_steps(run_dir: Path, every: int, steps: int) -> None:
    """Raises InputError unless those done and all are multiples of `every`."""
    summary = run_dir / "summary.json"
    done = json.loads(summary.read_text("utf-8"))["step"] if summary.exists() else 0
    if steps % every:
        raise InputError(
            f"--train_steps={steps}: must be a multiple of --validate_every={every}"
        )
    if done % every:
        raise InputError(
            f"--validate_every={every}: {summary} has {done} steps, which must be a "
            "multiple of it"
        )


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
    config = read_config(tokens_dir / "config.json")
    config["model"] |= model
    config["training"] |= training
    options = config["training"]
    where = str(tokens_dir / "config.json")
    for concern, cls in CHECKED.items():
        given = from_dict(cls, config[concern], where)
        for name, only in ONLY[concern].items():
            if getattr(given, name) != only:
                raise InputError(
                    f"--{name}={getattr(given, name)}: under JAX only {only!r}; "
                    "prepare the tokens with that"
                )
    check_steps(run_dir, options["validate_every"], options["train_steps"])
    path = run_dir / "config.json"
    if path.exists():
        here = read_config(path)
        here["training"] |= {name: options[name] for name in MAY_CHANGE}
        if here != config:
            raise InputError(
                f"{path}: a run of other options is here; choose another --run_dir"
            )
    run_dir.mkdir(parents=True, exist_ok=True)
    for name in ("vocab.txt", "data.json"):
        if (tokens_dir / name).exists():  # generated pairs have no data.json
            shutil.copyfile(tokens_dir / name, run_dir / name)
    write_atomically(path, (json.dumps(config, indent=2) + "\n").encode())
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
