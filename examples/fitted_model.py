"""A model with the loss and the metric of training, for Keras `fit`."""

from collections.abc import Mapping
from typing import Any

import keras
from keras import ops

from neural_gpu_tf.types import Tensor


class Fitted(keras.Model):
    """A network with the loss that it is fitted by.

        L = 1/N Σ_k c(k) + w A,   c(k) = - log p(o_k)
                                  or - (1 - ε) log p(o_k) - ε/v Σ_i log p(i)

    over the N symbols of the batch that count. A is what the network's layers add as
    losses, w = min(1, α L/A) for the learning rate α, so it stays small beside L.
    (As `neural_gpu_tf/training/batch_loss.py` and `auxiliary_weight.py`, but that w is
    of this step, and of the highest α.)

    Args:
        network: a model of the package.
        options: the training options.
    """

    def __init__(self, network: keras.Model, options: Mapping[str, Any]):
        super().__init__()
        self.network = network
        self.label_smoothing = options["label_smoothing"]
        self.highest_rate = options["learning_rate"]
        self.built = True  # as the network is

    def call(self, inputs: dict[str, Tensor], training: bool | None = None) -> Tensor:
        return self.network(inputs, training=training)

    def compute_loss(
        self,
        x: Any = None,
        y: Tensor | None = None,
        y_pred: Tensor | None = None,
        sample_weight: Tensor | None = None,
        training: bool = True,
    ) -> Tensor:
        logits = ops.cast(y_pred, "float32")
        costs = ops.sparse_categorical_crossentropy(y, logits, from_logits=True)
        if self.label_smoothing:
            even = ops.logsumexp(logits, axis=-1) - ops.mean(logits, axis=-1)
            costs += self.label_smoothing * (even - costs)
        symbols = ops.maximum(ops.sum(sample_weight), 1.0)
        loss = ops.sum(costs * sample_weight) / symbols
        if not self.losses:
            return loss
        auxiliary = sum(ops.cast(one, "float32") for one in self.losses)
        weight = self.highest_rate * loss / ops.maximum(auxiliary, 1e-30)
        return loss + ops.stop_gradient(ops.minimum(weight, 1.0)) * auxiliary


class Surprisal(keras.metrics.Mean):
    """-1/N Σ log p(o_k) over N symbols that count. (Keras's weighs pairs by 1/n.)"""

    def __init__(self):
        super().__init__("surprisal")

    def update_state(
        self, y_true: Tensor, y_pred: Tensor, sample_weight: Tensor | None = None
    ) -> None:
        logits = ops.cast(y_pred, "float32")
        nats = ops.sparse_categorical_crossentropy(y_true, logits, from_logits=True)
        super().update_state(ops.ravel(nats), ops.ravel(sample_weight))
