"""Optimizers."""

import keras

from neural_gpu_tf.optimizers.clipped_adamax import ClippedAdamax
from neural_gpu_tf.optimizers.fused_adam import FusedAdam
from neural_gpu_tf.optimizers.schedules import LearningRate
from neural_gpu_tf.options import TrainingConfig


def learning_rate(config: TrainingConfig) -> LearningRate:
    """The schedule of the learning rate."""
    return LearningRate(
        config.learning_rate,
        config.schedule,
        config.warmup_steps,
        config.decay_from,
        config.train_steps,
    )


def build_optimizer(
    config: TrainingConfig, rate: float | LearningRate | None = None
) -> keras.optimizers.Optimizer:
    """The optimizer, with its learning rate and the running average.

    Args:
        config: the options.
        rate: a number to begin with, which may be changed; None: by the schedule.
    """
    rate = learning_rate(config) if rate is None else rate
    average = (
        {"use_ema": True, "ema_momentum": config.average_decay}
        if config.average_decay
        else {}
    )
    betas = {"beta_1": config.adam_beta_1, "beta_2": config.adam_beta_2}
    optimizers = keras.optimizers
    if config.optimizer == "adam":
        return FusedAdam(rate, epsilon=config.adam_epsilon, **betas, **average)
    if config.optimizer == "adamax":
        return optimizers.Adamax(rate, epsilon=config.adam_epsilon, **betas, **average)
    if config.optimizer == "clipped_adamax":
        beta, epsilon = config.adam_beta_1, config.adam_epsilon
        return ClippedAdamax(rate, beta_1=beta, epsilon=epsilon, **average)
    return optimizers.SGD(rate, **average)
