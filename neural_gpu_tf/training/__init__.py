"""The training loop: steps, optimizers, curriculum, distribution, TensorBoard."""

from neural_gpu_tf.training.curriculum import Curriculum
from neural_gpu_tf.training.ends import Interrupted, WorkerLost
from neural_gpu_tf.training.trainer import Trainer

__all__ = [
    "Curriculum",
    "Interrupted",
    "Trainer",
    "WorkerLost",
]
