"""Dropout that differs from replica to replica."""

from typing import Any

import keras

from neural_gpu_tf.layers.dropout_limit import check_dropout, limited_dropout
from neural_gpu_tf.layers.dropout_masks import dropout_mask, own_seed
from neural_gpu_tf.types import Tensor


@keras.saving.register_keras_serializable("neural_gpu_tf")
class ReplicaDropout(keras.layers.Layer):
    """Dropout with a different mask on each replica (Keras's has the same mask on all).

    Args:
        rate: share of the inputs that is dropped, in [0, 1).
        seed: of what is dropped.

    Input shape: any.
    Output shape: that of the input. A mask is passed on.

    Example:
        >>> dropped = ReplicaDropout(0.5)(np.ones(1000, "float32"), training=True)
        >>> sorted({*np.array(dropped).tolist()})
        [0.0, 2.0]
    """

    def __init__(self, rate: float = 0.0, seed: int | None = None, **kwargs: Any):
        super().__init__(**kwargs)
        check_dropout(rate, "rate")
        self.supports_masking = True
        self.rate = rate
        self.seed = seed
        self.seed_generator = keras.random.SeedGenerator(seed)
        self.built = True

    def call(self, inputs: Tensor, training: bool = False) -> Tensor:
        rate = limited_dropout(self.rate)
        if not training or not rate:
            return inputs
        seed = own_seed(self.seed_generator.next())
        return inputs * dropout_mask(inputs, rate, seed, 0)

    def compute_output_shape(self, input_shape: Any) -> Any:
        return input_shape

    def get_config(self) -> dict:
        return {**super().get_config(), "rate": self.rate, "seed": self.seed}
