"""How much a model's own losses weigh."""

import tensorflow as tf

_STEPS = 200


class AuxiliaryWeight(tf.Module):
    """A weight, at most 1, that keeps auxiliary losses small beside the loss.

    Every 200 steps it becomes min(1, α · mean loss / mean auxiliary loss), α being
    the learning rate, so that the saturation cost regularizes the model but never
    outweighs the main loss. (Freivalds & Liepins 2017, §3, and their code.)
    """

    def __init__(self):
        super().__init__()

        def variable(value: float) -> tf.Variable:
            aggregation = tf.VariableAggregation.ONLY_FIRST_REPLICA
            return tf.Variable(value, trainable=False, aggregation=aggregation)

        self.value = variable(1.0)
        self._loss = variable(0.0)
        self._auxiliary = variable(0.0)
        self._steps = variable(0.0)

    def observe(self, loss: tf.Tensor, auxiliary: tf.Tensor, rate: tf.Tensor) -> None:
        """Takes note of a step: the two losses (means) and the learning rate."""
        loss, auxiliary = self._loss + loss, self._auxiliary + auxiliary
        steps = self._steps + 1.0
        due = steps >= _STEPS
        new = tf.minimum(1.0, rate * loss / tf.maximum(auxiliary, 1e-30))
        self.value.assign(tf.where(due, new, self.value))
        kept = tf.where(due, 0.0, 1.0)
        self._loss.assign(kept * loss)
        self._auxiliary.assign(kept * auxiliary)
        self._steps.assign(kept * steps)
