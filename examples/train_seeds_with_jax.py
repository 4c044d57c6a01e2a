"""Trains several seeds of an algorithmic task at once under JAX, without TensorFlow.

KERAS_BACKEND=jax python examples/train_seeds_with_jax.py \\
  --flagfile=configs/bmul.flags --seeds=1,2,3,4 --runs=RUNS     # on an accelerator
neural-gpu-evaluate --run_dir=RUNS/1 --bits=200 --json          # where TensorFlow is

Needs jax, keras, absl-py and numpy, the package on the PYTHONPATH, and beside this file
model_copies.py (the step), course_pool.py (the examples) and seed_runs.py (the files).
A seed is that of training and of the curriculum; RUNS/SEED becomes a run directory like
any other, with the best and the last validated weights. Examples, loss, optimizer,
validations and the choice of the best weights are those of neural-gpu-train; the course
goes on a few steps later, and dropout and rounding differ; each seed is trained once,
whatever --attempts says, and --selection_cases has no effect. --init_from=RUNS starts
each seed with the weights of RUNS/SEED. The same command goes on where one was stopped,
from its last validation.
"""

import dataclasses
import datetime
import json
import math
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import jax
import keras
import numpy as np
from absl import app, flags, logging
from course_pool import AT_ONCE, CoursePool
from jax import numpy as jnp
from model_copies import ModelCopies
from seed_runs import SeedRuns, first_weights

from neural_gpu_tf.bin import flags as config_flags
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.options import (
    CurriculumConfig,
    ModelConfig,
    TrainingConfig,
    parse_bits,
)

ONLY = {
    ModelConfig: {"relaxations": 1},
    CurriculumConfig: {"curriculum_dropout": -1.0},
    TrainingConfig: {
        "autoclip": 0.0,
        "gradient_noise": 0.0,
        "train_minutes": 0.0,
        "patience": 0,
        "label_smoothing": 0.0,
        "precision": "float32",
    },
}
"""Options that have no other value here."""
CELLS = 3 * 2**20
"""Columns of all copies' canvases that are answered at once."""
STATE = "copies.npz"


class Seeds:
    """Seeds of one configuration, trained side by side.

    Args:
        task, model, training: the options, of every seed.
        seeds: the seeds of training and of the curriculum.
        runs: directory of the run directories.
        processes: how many draw examples.
    """

    def __init__(
        self,
        task: CurriculumConfig,
        model: ModelConfig,
        training: TrainingConfig,
        seeds: Sequence[int],
        runs: str | os.PathLike[str],
        processes: int,
    ):
        check(task, model, training)
        task = dataclasses.replace(task, attempts=1, give_up_at=0, selection_cases=0)
        self.training = training
        self.state = Path(runs) / STATE
        self._check_seeds(seeds)  # before anything is written
        self.runs = SeedRuns(runs, seeds, task, model, training)
        self.copies = ModelCopies(
            *(model, training, task.algorithm.vocabulary_size, seeds),
            starts=first_weights(training.init_from, seeds, task, model),
        )
        self.step, self.seconds = 0, 0.0
        kept = self._read_state()
        steps = (training.validate_every, training.train_steps, self.step)
        chunk = math.gcd(*steps, 4 * AT_ONCE)
        self.pool = CoursePool(self.runs.tasks, chunk, processes, kept)
        self.lengths = parse_bits("validation_bits", task.validation_bits)

    def train(self) -> None:
        """Trains to the end, with its validations."""
        start, every = time.monotonic() - self.seconds, self.training.validate_every
        self.pool.ask()
        while self.step < self.training.train_steps:
            self.pool.ask()
            chunk = self.pool.chunk_of_batches()
            told = [self.copies.step(buckets) for _, buckets in chunk]
            told = np.array(jnp.stack(told))  # waits
            for (drawn, _), one in zip(chunk, told, strict=True):
                self.pool.note(drawn, one[:, 1])
            self.step += len(chunk)
            self.seconds = time.monotonic() - start
            if self.step % self.training.log_every == 0:
                self._log(told)
            if self.step % every == 0 or self.step >= self.training.train_steps:
                self.validate()
                self._write_state()
        self.pool.close()

    def _log(self, told: np.ndarray) -> None:
        courses = self.pool.courses
        logging.info(
            "step %d  %.0f s  loss %s  bits %s  right %s",
            *(self.step, self.seconds),
            " ".join(f"{x:.4f}" for x in told[:, :, 0].mean(0)),
            " ".join(str(course.bits) for course in courses),
            " ".join(f"{course.right:.2f}" for course in courses),
        )

    def validate(self) -> None:
        """Validates the averaged weights of each seed, and keeps last and best ones."""
        tasks = self.runs.tasks
        scalars: list[dict[str, float]] = [{"step": self.step} for _ in tasks]
        errors = np.zeros(len(tasks))
        for hard in (False, True):
            of_hard = tasks[0].last_hard_share
            share = of_hard if hard else 1 - of_hard
            for bits in self.lengths:
                exact, symbols = self._scores(bits, hard)
                kind = f"{'hard' if hard else 'exact'}_{bits}"
                for one, value in zip(scalars, exact, strict=True):
                    one[kind] = float(value)
                values = " ".join(f"{value:.4g}" for value in exact)
                logging.info("step %d  validation  %s  %s", self.step, kind, values)
                errors += share * (1 - (exact + symbols) / 2) / len(self.lengths)
        for one, error in zip(scalars, errors, strict=True):
            one |= {"error": float(error), "train_seconds": self.seconds}
        weights = [np.array(x) for x in self.copies.averaged]
        self.runs.keep(self.copies.network, weights, scalars)

    def _scores(self, bits: int, hard: bool) -> tuple[np.ndarray, np.ndarray]:
        """Of each seed the shares of examples and of symbols that are right."""
        examples = [
            task.algorithm.questions(
                task.curriculum_seed + 1, bits, task.validation_cases // 2, hard
            )
            for task in self.runs.tasks
        ]
        source, target, size = map(np.stack, zip(*examples, strict=True))
        right = right_symbols(self.copies, source, target, size)
        return np.mean(right == size, axis=1), right.sum(1) / size.sum(1)

    def _write_state(self) -> None:
        copies = self.copies
        arrays = [*copies.weights, *copies.seeds, *copies.state, copies.auxiliary]
        known = {
            "seeds": self.runs.seeds,
            "step": self.step,
            "seconds": self.seconds,
            "best": self.runs.best,
            "courses": [course.serialize() for course in self.pool.courses],
        }
        beside = self.state.with_name(f".new.{STATE}")
        named = {f"array_{i:03}": np.array(x) for i, x in enumerate(arrays)}
        np.savez(beside, known=json.dumps(known), **named)
        beside.replace(self.state)

    def _check_seeds(self, seeds: Sequence[int]) -> None:
        """Raises InputError if what was written is of other seeds."""
        if not self.state.exists():
            return
        with np.load(self.state) as file:
            there = json.loads(str(file["known"]))["seeds"]
        if there != list(seeds):
            raise InputError(
                f"{self.state}: of seeds {there}, not {list(seeds)}; give them again, "
                "or choose another --runs"
            )

    def _read_state(self) -> list[str]:
        """Goes on from what was written, if anything; where the courses stood."""
        if not self.state.exists():
            return []
        with np.load(self.state) as file:
            known = json.loads(str(file["known"]))
            arrays = [jnp.asarray(file[x]) for x in sorted(file) if x != "known"]
        copies = self.copies
        for name in ("weights", "seeds", "state"):
            count = len(getattr(copies, name))
            setattr(copies, name, arrays[:count])
            arrays = arrays[count:]
        (copies.auxiliary,) = arrays
        self.step, self.seconds = known["step"], known["seconds"]
        self.runs.best = known["best"]
        return known["courses"]


def right_symbols(
    copies: ModelCopies, source: np.ndarray, target: np.ndarray, size: np.ndarray
) -> np.ndarray:
    """How many symbols of each example each copy has right, [copies, batch]."""
    n, right = source.shape[2], []
    at_once = max(1, CELLS // (n * len(source)))
    inside = np.arange(n) < size[:, :, None]
    for start in range(0, source.shape[1], at_once):
        part = (slice(None), slice(start, start + at_once))
        same = np.array(copies.answers(source[part], size[part])) == target[part]
        right.append((same & inside[part]).sum(axis=2))
    return np.concatenate(right, axis=1)


def check(task: CurriculumConfig, model: ModelConfig, training: TrainingConfig) -> None:
    """Raises InputError if an option is not to be had here."""
    if keras.backend.backend() != "jax":
        raise InputError(
            f"KERAS_BACKEND={keras.backend.backend()}: start with KERAS_BACKEND=jax, "
            "or train with neural-gpu-train"
        )
    if not task.task:
        raise InputError("task='': name an algorithmic task")
    for config in (task, model, training):
        for name, only in ONLY[type(config)].items():
            if getattr(config, name) != only:
                raise InputError(
                    f"--{name}={getattr(config, name)}: here only {only!r}; leave it "
                    "out, or train with neural-gpu-train"
                )
    if training.validate_every % AT_ONCE or training.train_steps % AT_ONCE:
        raise InputError(
            f"--train_steps={training.train_steps}, --validate_every="
            f"{training.validate_every}: must be multiples of {AT_ONCE}"
        )


def main(argv: Sequence[str]) -> None:
    args = flags.FLAGS
    logging.set_verbosity(logging.INFO)
    try:
        options = [
            config_flags.read(x)
            for x in (CurriculumConfig, ModelConfig, TrainingConfig)
        ]
        if not all(seed.isdecimal() for seed in args.seeds):
            raise InputError(f"--seeds={','.join(args.seeds)}: give numbers, as 1,2,4")
        seeds = list(dict.fromkeys(map(int, args.seeds)))
        trained = Seeds(*options, seeds, args.runs, args.processes)
        logging.info("%s, seeds %s", jax.devices()[0].device_kind, seeds)
        start = {
            "time": datetime.datetime.now(datetime.UTC).isoformat("T", "seconds"),
            "command": sys.argv,
            "packages": {"jax": jax.__version__, "keras": keras.__version__},
            "device": jax.devices()[0].device_kind,
        }
        trained.runs.started(start)
        trained.train()
    except InputError as error:
        print(f"train_seeds_with_jax: {error}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    flags.DEFINE_list("seeds", None, "seeds to train, with commas between")
    flags.DEFINE_string("runs", None, "directory of the run directories, one a seed")
    flags.DEFINE_integer(
        "processes", os.cpu_count(), "processes that draw examples", lower_bound=1
    )
    for concern in (CurriculumConfig, ModelConfig, TrainingConfig):
        config_flags.define(concern)
    flags.mark_flags_as_required(["seeds", "runs"])
    app.run(main)
