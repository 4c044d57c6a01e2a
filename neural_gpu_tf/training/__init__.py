"""The training loop: steps, optimizers, curriculum, distribution, TensorBoard."""

from neural_gpu_tf.training.config import TrainingConfig
from neural_gpu_tf.training.curriculum import Curriculum
from neural_gpu_tf.training.curriculum_config import CurriculumConfig, parse_bits
from neural_gpu_tf.training.trainer import Interrupted, Trainer

__all__ = [
    "Curriculum",
    "CurriculumConfig",
    "Interrupted",
    "Trainer",
    "TrainingConfig",
    "parse_bits",
]
