"""Asks several runs of an algorithmic task the same questions, under JAX.

KERAS_BACKEND=jax JAX_DEFAULT_MATMUL_PRECISION=highest \\
  python examples/evaluate_seeds_with_jax.py --runs=RUNS/1,RUNS/2 \\
  --bits=20,200,2000 --examples=100 [--hard]

The questions and the shares of right answers are those of neural-gpu-evaluate; all runs
are asked at once, by one program, so an accelerator is used well. Runs must have one
model and one task. A line of JSON for each run and length. Without the precision above
an accelerator may round the products of float32 (TF32).
"""

import dataclasses
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import jax
import keras
import numpy as np
from absl import app, flags
from jax import numpy as jnp
from model_copies import answered, stacked
from train_seeds_with_jax import right_symbols

from neural_gpu_tf.configuration import from_dict
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.models import build_model
from neural_gpu_tf.options import CurriculumConfig, ModelConfig, parse_bits
from neural_gpu_tf.options.model import WITHOUT_WEIGHTS
from neural_gpu_tf.pretrained_models import run_or_pretrained
from neural_gpu_tf.weights import load_weights


class TrainedCopies:
    """The best weights of several runs of one model and one task.

    Args:
        runs: run directories, or names of models that come with the package.

    Raises:
        InputError: one has another model or task than the first.
    """

    def __init__(self, runs: Sequence[str]):
        directories = [run_or_pretrained(run) for run in runs]
        networks, tasks, models = [], [], []
        for directory in directories:
            path = directory / "config.json"
            if not path.exists():
                raise InputError(f"{directory}: no config.json; not a run directory")
            config = json.loads(path.read_text("utf-8"))
            model = from_dict(ModelConfig, config["model"], str(path))
            task = from_dict(CurriculumConfig, config["task"], str(path))
            if not task.task:
                raise InputError(f"{directory}: a run of text, not of an algorithm")
            tasks.append(task.algorithm)
            networks.append(build_model(model, tasks[-1].vocabulary_size))
            load_weights(networks[-1], directory / "best.weights.h5")
            models.append(answering(model))
            if (tasks[-1], models[-1]) != (tasks[0], models[0]):
                raise InputError(
                    f"{directory}: another task or model than that of {directories[0]}"
                )
        self.task = tasks[0]
        self.weights = stacked([x.trainable_variables for x in networks])
        self._answers = jax.jit(jax.vmap(answered(networks[0])))

    def answers(self, source: np.ndarray, size: np.ndarray) -> jax.Array:
        """Of each run, [runs, batch, n]."""
        return self._answers(self.weights, jnp.asarray(source), jnp.asarray(size))


def answering(model: ModelConfig) -> ModelConfig:
    """The options of a model but for those that count in training alone."""
    defaults = {name: getattr(ModelConfig(), name) for name in WITHOUT_WEIGHTS}
    return dataclasses.replace(model, **defaults)


def scores(
    copies: TrainedCopies, bits: int, examples: int, hard: bool, seed: int
) -> list[tuple[float, float]]:
    """Of each run the shares of examples and of symbols that are right."""
    source, target, size = copies.task.questions(seed, bits, examples, hard)
    count = len(copies.weights[0])
    asked = [np.repeat(x[None], count, 0) for x in (source, target, size)]
    right = right_symbols(copies, *asked)
    return [
        (float(exact), float(symbols))
        for exact, symbols in zip(
            (right == size).mean(1), right.sum(1) / size.sum(), strict=True
        )
    ]


def main(argv: Sequence[str]) -> None:
    args = flags.FLAGS
    try:
        if keras.backend.backend() != "jax":
            raise InputError(
                f"KERAS_BACKEND={keras.backend.backend()}: start with KERAS_BACKEND="
                "jax, or evaluate with neural-gpu-evaluate"
            )
        copies = TrainedCopies(args.runs)
        for bits in parse_bits("bits", args.bits):
            start = time.monotonic()
            found = scores(copies, bits, args.examples, args.hard, args.seed)
            for run, (exact, symbols) in zip(args.runs, found, strict=True):
                line = {"run": Path(run).name, "bits": bits, "hard": args.hard}
                line |= {"examples": args.examples, "exact": exact, "symbols": symbols}
                print(json.dumps(line))
            print(f"{time.monotonic() - start:.1f} s", file=sys.stderr)
    except InputError as error:
        print(f"evaluate_seeds_with_jax: {error}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    flags.DEFINE_list("runs", None, "run directories, with commas between")
    flags.DEFINE_string("bits", "20,25,100,200", "digits of an operand")
    flags.DEFINE_integer("examples", 100, "at each length", lower_bound=1)
    flags.DEFINE_bool("hard", False, "the task's hard inputs instead of random ones")
    flags.DEFINE_integer("seed", 0, "of the examples", lower_bound=0)
    flags.mark_flags_as_required(["runs"])
    app.run(main)
