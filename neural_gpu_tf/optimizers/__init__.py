"""Keras optimizers and learning-rate schedules."""

from neural_gpu_tf.optimizers.build import build_optimizer, learning_rate
from neural_gpu_tf.optimizers.clipped_adamax import ClippedAdamax
from neural_gpu_tf.optimizers.fused_adam import FusedAdam
from neural_gpu_tf.optimizers.schedules import LearningRate

__all__ = [
    "ClippedAdamax",
    "FusedAdam",
    "LearningRate",
    "build_optimizer",
    "learning_rate",
]
