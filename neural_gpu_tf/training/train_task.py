"""From a configuration to a model that knows an algorithm."""

import os
import sys
from collections.abc import Sequence

import numpy as np

from neural_gpu_tf.data import DataConfig
from neural_gpu_tf.decoding import DecodingConfig
from neural_gpu_tf.evaluation import Solver, by_length, has_picture, question_frames
from neural_gpu_tf.models import ModelConfig
from neural_gpu_tf.tasks import TASKS
from neural_gpu_tf.training.config import TrainingConfig
from neural_gpu_tf.training.curriculum import (
    Curriculum,
    CurriculumConfig,
    parse_bits,
)
from neural_gpu_tf.training.new_model import new_model
from neural_gpu_tf.training.run_directory import RunConfig, RunDirectory
from neural_gpu_tf.training.strategy import mirrored_strategy
from neural_gpu_tf.training.trainer import Trainer

_DRAWN_BITS = 12


def train_task(
    run_dir: str | os.PathLike[str],
    task: CurriculumConfig,
    model: ModelConfig,
    training: TrainingConfig,
    command: Sequence[str] = tuple(sys.argv),
) -> dict[str, float]:
    """Trains a model on an algorithmic task, or goes on with it.

    Each validation measures, at each of `task.validation_bits`, the share of random
    and of hard examples that are wholly right. The best weights have the lowest
    "error": the mean, over all of these, of one minus the mean of that share and the
    share of symbols right. If the model has a memory to draw, it does so for
    TensorBoard, on the same example each time.

    Args:
        run_dir: the run directory; see `RunDirectory`.
        task, model, training: the options.
        command: what to write down as the start's command.

    Returns:
        The last validation's scalars and "train_seconds"; also in summary.json.

    Raises:
        InputError: something given is missing or wrong.
        Interrupted: on SIGTERM or Ctrl-C, after writing a checkpoint.
    """
    strategy = mirrored_strategy(training.replicas)
    directory = RunDirectory(run_dir)
    algorithm = TASKS[task.task]
    symbols = algorithm.vocabulary_size
    config = RunConfig(
        DataConfig(), model, training, DecodingConfig(), symbols, "", task
    )
    batches = Curriculum(task, strategy)
    directory.begin(config, command)
    network = new_model(model, symbols, training.training_seed, strategy)
    solver = Solver(network)
    lengths = parse_bits("validation_bits", task.validation_bits)

    rng = np.random.default_rng(task.curriculum_seed)
    example = algorithm.generate(rng, algorithm.canvas(_DRAWN_BITS), 1)[0][0]

    def validate(step: int) -> dict[str, float]:
        scalars, errors = batches.scalars(), []
        for hard in (False, True):
            for score in by_length(
                solver,
                algorithm,
                lengths,
                task.validation_cases // 2,
                model.cell_bytes,
                seed=task.curriculum_seed + 1,
                hard=hard,
            ):
                kind = "hard" if hard else "exact"
                scalars[f"{kind}_{score.bits}"] = score.exact
                errors.append(1 - (score.exact + score.symbols) / 2)
        if has_picture(network):
            frames = question_frames(network, algorithm, example)
            trainer.summaries.picture("memory", step, frames)
        return {**scalars, "error": sum(errors) / len(errors)}

    trainer = Trainer(
        network,
        batches,
        validate,
        training,
        directory,
        strategy,
        judged_by="error",
        blanks_count=True,
        buckets=task.buckets,
    )
    return trainer.run(config)
