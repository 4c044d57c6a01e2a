"""Scores of a trained run."""

import os
from collections.abc import Mapping, Sequence
from typing import Any

from absl import logging

from neural_gpu_tf.configuration import check_at_least
from neural_gpu_tf.data import TextFiles, read_pairs
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.evaluation import by_length, evaluate
from neural_gpu_tf.inference import Solver
from neural_gpu_tf.models import cell_bytes
from neural_gpu_tf.runs.load import load_task_run, own_source
from neural_gpu_tf.runs.load_runs import load_runs
from neural_gpu_tf.runs.load_size_predictor import load_size_predictor

SPLIT = "validation"


def score_translation(
    run_dirs: Sequence[str | os.PathLike[str]],
    source: str = "",
    target: str = "",
    decoding: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Scores a translation run, or an ensemble of several; see `evaluate`.

    Args:
        run_dirs: the runs; validation data and options are those of the first.
        source: a file of sentences, plain or .gz; "" for the run's validation data.
        target: a file of their references, line by line.
        decoding: options of `DecodingConfig` that differ from the run's.

    Raises:
        InputError: something is missing, damaged or does not match.
    """
    if bool(source) != bool(target):
        raise InputError("--source and --target: give both, or neither")
    pairs = TextFiles({SPLIT: (source, target)}) if source else None
    run = load_runs(run_dirs)
    pairs = pairs or own_source(run, SPLIT)
    sources, targets = read_pairs(pairs.dataset(SPLIT))
    config = run.config.decoding.changed(decoding or {})
    size_predictor = load_size_predictor(run, config)
    logging.info("evaluating %d sentences", len(sources))
    return evaluate(
        run.model,
        run.tokenizer,
        config,
        sources,
        targets,
        run.config.data,
        size_predictor,
    )


def score_task(
    run_dir: str | os.PathLike[str],
    bits: Sequence[int],
    examples: int = 100,
    hard: bool = False,
    seed: int = 0,
) -> dict[str, Any]:
    """Scores the run of an algorithmic task by length; see `by_length`.

    Args:
        run_dir: the run.
        bits: lengths: digits of an operand, symbols of a list.
        examples: how many at each length.
        hard: the task's hard inputs, not random ones.
        seed: of the examples.

    Returns:
        "task", "hard", and "lengths": a list of `LengthScore`s as dicts.

    Raises:
        InputError: something is missing, damaged or does not match.
    """
    check_at_least("examples", examples, 1)
    check_at_least("seed", seed, 0)
    run = load_task_run(run_dir)
    column_bytes = cell_bytes(run.config.model)
    solver = Solver(run.model)
    scores = by_length(solver, run.task, bits, examples, column_bytes, seed, hard)
    lengths = [score._asdict() for score in scores]
    return {"task": run.task.name, "hard": hard, "lengths": lengths}
