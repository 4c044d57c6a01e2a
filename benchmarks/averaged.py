"""A model, its training step and an optimizer, for loops that set the rate."""

from typing import Any, NamedTuple


class Averaged(NamedTuple):
    """What a loop needs; at its end `optimizer.finalize_variable_values(weights)`."""

    model: Any
    optimizer: Any
    step: Any


def averaged(config: Any, training: Any, symbols: int) -> Averaged:
    """A new model of a task, one replica.

    Args:
        config: a `ModelConfig`.
        training: a `TrainingConfig`; the rate is its learning_rate at first.
        symbols: of the vocabulary.
    """
    from neural_gpu_tf.optimizers import build_optimizer
    from neural_gpu_tf.training.new_model import new_model
    from neural_gpu_tf.training.strategy import mirrored_strategy
    from neural_gpu_tf.training.train_step import TrainStep

    strategy = mirrored_strategy(1)
    model = new_model(config, symbols, training.training_seed, strategy)
    with strategy.scope():
        optimizer = build_optimizer(training, training.learning_rate)
        optimizer.build(model.trainable_variables)
    step = TrainStep(model, optimizer, training, strategy, blanks_count=True)
    return Averaged(model, optimizer, step)
