"""The run directories of several seeds of one configuration."""

import dataclasses
import json
import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import keras
import numpy as np
from run_config import read_config

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.files import write_atomically
from neural_gpu_tf.models.build import check_same_model
from neural_gpu_tf.options import (
    CurriculumConfig,
    DataConfig,
    DecodingConfig,
    ModelConfig,
    TrainingConfig,
)
from neural_gpu_tf.pretrained_models import run_or_pretrained
from neural_gpu_tf.tasks import TASKS
from neural_gpu_tf.weights import check_written, save_weights

WEIGHTS = "best.weights.h5"
MAY_CHANGE = ("train_steps", "validate_every", "log_every")
"""Training options that may be given again."""


class SeedRuns:
    """RUNS/SEED for each seed: runs to evaluate, export and start others with.

    They have no checkpoints, so that neural-gpu-train does not go on with them.

    Args:
        runs: the directory RUNS.
        seeds: of training and of the curriculum.
        task, model, training: the options, but for the seeds.

    Raises:
        InputError: a run of other options is there.
    """

    def __init__(
        self,
        runs: str | os.PathLike[str],
        seeds: Sequence[int],
        task: CurriculumConfig,
        model: ModelConfig,
        training: TrainingConfig,
    ):
        self.seeds = list(seeds)
        self.directories = [Path(runs) / str(seed) for seed in seeds]
        self.tasks = [dataclasses.replace(task, curriculum_seed=s) for s in seeds]
        self.best = [math.inf] * len(seeds)
        configs = []
        for seed, directory, one in zip(
            seeds, self.directories, self.tasks, strict=True
        ):
            seeded = dataclasses.replace(training, training_seed=seed)
            concerns = {
                "data": DataConfig(),
                "model": model,
                "training": seeded,
                "decoding": DecodingConfig(),
            }
            config: dict[str, Any] = {
                name: dataclasses.asdict(x) for name, x in concerns.items()
            }
            config["vocabulary_size"] = task.algorithm.vocabulary_size
            config["vocabulary_fingerprint"] = ""
            config["task"] = dataclasses.asdict(one)
            self._check(directory / "config.json", config)
            configs.append(config)
        for directory, config in zip(self.directories, configs, strict=True):
            directory.mkdir(parents=True, exist_ok=True)
            text = json.dumps(config, indent=2) + "\n"
            write_atomically(directory / "config.json", text.encode())

    @staticmethod
    def _check(path: Path, config: Mapping[str, Any]) -> None:
        """Raises InputError if other options than these are there."""
        if not path.exists():
            return
        here = read_config(path)
        here["training"] |= {name: config["training"][name] for name in MAY_CHANGE}
        if here != config:
            raise InputError(
                f"{path}: a run of other options is here; choose another --runs"
            )

    def started(self, start: Mapping[str, Any]) -> None:
        """Writes down how training was started, or gone on with."""
        for directory in self.directories:
            _append(directory / "starts.jsonl", start)

    def keep(
        self,
        network: keras.Model,
        weights: Sequence[np.ndarray],
        scalars: Sequence[Mapping[str, float]],
    ) -> None:
        """Writes each seed's last weights, and its best ones if these are.

        Args:
            network: a model, to write them with.
            weights: [seeds, …] each.
            scalars: of each seed; "error" tells which are best, of equal ones the last.
        """
        for i, (directory, told) in enumerate(
            zip(self.directories, scalars, strict=True)
        ):
            pairs = zip(network.trainable_variables, weights, strict=True)
            for variable, value in pairs:
                variable.assign(value[i])
            save_weights(network, directory / "last.weights.h5")
            best = directory / WEIGHTS
            if told["error"] <= self.best[i] or not best.exists():
                self.best[i] = told["error"]
                save_weights(network, best)
            summary = {**told, "best_error": self.best[i]}
            text = json.dumps(summary) + "\n"
            write_atomically(directory / "summary.json", text.encode())
            _append(directory / "validations.jsonl", summary)


def first_weights(
    run: str, seeds: Sequence[int], task: CurriculumConfig, model: ModelConfig
) -> list[str]:
    """The weights that each seed starts with: those of RUN/SEED, or of one run.

    Args:
        run: the run, RUNS, or the name of a pretrained model; "" for none, [].
        seeds: of training and of the curriculum.
        task, model: the options of the runs that begin.

    Raises:
        InputError: there is no such run, or one of another model or of other symbols.
    """
    if not run:
        return []
    runs = [Path(run) / str(seed) for seed in seeds]
    if not all((path / WEIGHTS).exists() for path in runs):
        runs = [run_or_pretrained(run)] * len(seeds)
    for path in {*runs}:
        check_written(path / WEIGHTS)
        config = read_config(path / "config.json")
        there = config["task"]["task"]
        if not there or TASKS[there].symbols != task.algorithm.symbols:
            raise InputError(
                f"init_from={run}: a run of other symbols, which neural-gpu-train takes"
            )
        check_same_model(ModelConfig(**config["model"]), model, run)
    return [str(path / WEIGHTS) for path in runs]


def _append(path: Path, line: Mapping[str, Any]) -> None:
    with open(path, "a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")
