"""The training loop and the run directory."""

from neural_gpu_tf.training.average_weights import average_weights
from neural_gpu_tf.training.config import TrainingConfig
from neural_gpu_tf.training.curriculum import Curriculum, CurriculumConfig, parse_bits
from neural_gpu_tf.training.fit_sizes import fit_sizes
from neural_gpu_tf.training.load_runs import load_runs
from neural_gpu_tf.training.load_size_predictor import load_size_predictor
from neural_gpu_tf.training.pretrained import (
    pretrained_for,
    pretrained_names,
    pretrained_run,
)
from neural_gpu_tf.training.run_directory import (
    Run,
    RunConfig,
    RunDirectory,
    TaskRun,
    load_run,
    load_task_run,
)
from neural_gpu_tf.training.run_translator import run_translator
from neural_gpu_tf.training.score_run import score_task, score_translation
from neural_gpu_tf.training.train_task import train_task
from neural_gpu_tf.training.train_translation import train_translation
from neural_gpu_tf.training.trainer import Interrupted, Trainer
from neural_gpu_tf.training.tune_decoding import Trial, tune_decoding

__all__ = [
    "Curriculum",
    "CurriculumConfig",
    "Interrupted",
    "Run",
    "RunConfig",
    "RunDirectory",
    "Trainer",
    "TaskRun",
    "TrainingConfig",
    "Trial",
    "average_weights",
    "fit_sizes",
    "load_run",
    "load_runs",
    "load_size_predictor",
    "load_task_run",
    "parse_bits",
    "pretrained_for",
    "pretrained_names",
    "pretrained_run",
    "run_translator",
    "score_task",
    "score_translation",
    "train_task",
    "train_translation",
    "tune_decoding",
]
