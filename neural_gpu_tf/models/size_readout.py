"""Distribution over canvas sizes, from an encoder's canvas."""

from typing import Any

import keras
from keras import ops

from neural_gpu_tf.layers.kept_parts import kept_parts, restored


@keras.saving.register_keras_serializable("neural_gpu_tf")
class SizeReadout(keras.Model):
    """Log-probability of each number of columns beyond the source's length.

        log p(j | source) = log softmax_j(W h + b_{|source|}),  j = n - |source|

    with h an encoder's features of the source (`SizePredictor`), and sources of
    `longest` symbols or more sharing one b. Initially it is the uniform distribution.

    Args:
        features: the components of h.
        choices: how many j there are, from 0.
        longest: see above.
        fitted_to: which encoder's h it was fitted to; of no meaning here.

    Inputs, a dict: features float32 [batch, features]; length |source|, int [batch].
    Output: log p, float32 [batch, choices].

    Example:
        >>> readout = SizeReadout(features=128, choices=61, longest=60)
        >>> h, length = keras.ops.ones((2, 128)), keras.ops.array([5, 3])
        >>> readout({"features": h, "length": length}).shape
        (2, 61)
    """

    def __init__(
        self,
        features: int,
        choices: int,
        longest: int,
        fitted_to: str = "",
        name: str | None = None,
        trainable: bool = True,
    ):
        # Layers
        dense = keras.layers.Dense(
            choices,
            use_bias=False,
            kernel_initializer="zeros",
            dtype="float32",
            name="of_features",
        )
        bias = keras.layers.Embedding(
            longest + 1,
            choices,
            embeddings_initializer="zeros",
            dtype="float32",
            name="of_length",
        )

        # Graph
        h = keras.Input([features], name="features")
        length = keras.Input([], dtype="int32", name="length")
        logits = dense(h) + bias(ops.minimum(length, longest))
        super().__init__(
            inputs={"features": h, "length": length},
            outputs=ops.log_softmax(logits, axis=-1),
            name=name,
            trainable=trainable,
        )

        # Config
        self.features = features
        self.choices = choices
        self.fitted_to = fitted_to
        self._config = {
            "features": features,
            "choices": choices,
            "longest": longest,
            "fitted_to": fitted_to,
        }

    def get_config(self) -> dict:
        own = {"name": self.name, "trainable": self.trainable}
        return own | self._config | kept_parts(self)

    @classmethod
    def from_config(cls, config: dict, custom_objects: Any = None) -> keras.Model:
        return restored(cls, config)
