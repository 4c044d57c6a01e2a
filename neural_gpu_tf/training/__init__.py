"""The training loop and the run directory."""

from neural_gpu_tf.training.config import TrainingConfig
from neural_gpu_tf.training.run_directory import Run, RunConfig, RunDirectory, load_run
from neural_gpu_tf.training.train_translation import train_translation
from neural_gpu_tf.training.trainer import Interrupted, Trainer

__all__ = [
    "Interrupted",
    "Run",
    "RunConfig",
    "RunDirectory",
    "Trainer",
    "TrainingConfig",
    "load_run",
    "train_translation",
]
