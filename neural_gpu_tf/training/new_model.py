"""A new model to train, repeatably."""

import keras
import tensorflow as tf
from absl import logging

from neural_gpu_tf.models import build_model
from neural_gpu_tf.options import ModelConfig


def new_model(
    config: ModelConfig,
    vocabulary_size: int,
    seed: int,
    strategy: tf.distribute.Strategy,
    precision: str = "float32",
) -> keras.Model:
    """Builds the model under the strategy; all that is random follows from the seed.

    From here on every operation of TensorFlow is deterministic in this process.
    """
    keras.utils.set_random_seed(seed)
    tf.config.experimental.enable_op_determinism()
    with strategy.scope():
        dtype = "mixed_bfloat16" if precision == "bfloat16" else precision
        model = build_model(config, vocabulary_size, seed=seed, dtype=dtype)
    logging.info(
        "%s: %s weights, %d symbols, %d replicas",
        config.model,
        f"{model.count_params():,}",
        vocabulary_size,
        strategy.num_replicas_in_sync,
    )
    return model
