"""The training loop: steps, optimizers, curriculum, distribution, TensorBoard."""

from neural_gpu_tf.training.curriculum import Curriculum
from neural_gpu_tf.training.trainer import Interrupted, Trainer

__all__ = [
    "Curriculum",
    "Interrupted",
    "Trainer",
]
