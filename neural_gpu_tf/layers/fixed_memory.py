"""Fixed-size memory of a source (Britz et al. 2017)."""

from typing import Any

import keras
from keras import ops

from neural_gpu_tf.configuration import true_or_false, whole_number
from neural_gpu_tf.layers.canvas import mask_or_all
from neural_gpu_tf.layers.initializers import fresh
from neural_gpu_tf.layers.memory_lookup import check_scoring
from neural_gpu_tf.layers.operations import as_tensor, softmax
from neural_gpu_tf.types import Tensor


@keras.saving.register_keras_serializable("neural_gpu_tf")
class FixedMemory(keras.layers.Layer):
    """Reads a source of any length into K context vectors.

        C_k = Σ_s α_sk h_s
        α_s = softmax over k, or σ, of (W_α h_s)_k, or of l_sk (W_α h_s)_k
        l_sk = (1 - k/K) (1 - s/S) + (k/K) (s/S),   k = 1 … K, s = 1 … S

    (Britz, Guan & Luong 2017, "Efficient Attention using a Fixed-Size Memory
    Representation", §3; the position encodings l after Sukhbaatar et al. 2015,
    "End-To-End Memory Networks", §4.1.) A position divides itself among the contexts
    (with σ it is added to each with a weight of its own), so it can be added to them as
    soon as it is encoded. Only positions that exist are counted, by s and by S, the
    source's own length, so nothing depends on the batch; an empty source gives C = 0.

    Args:
        contexts: K.
        position_encoding: whether the scores are multiplied by l.
        scoring: "softmax" or "sigmoid" (σ).
        kernel_initializer: of W_α.

    Input shape: annotations h [batch, n, d]; mask, bool [batch, n], the Keras mask of
        the annotations if not given, or all.
    Output shape: C [batch, K, d].

    Example:
        >>> rows, mask = keras.ops.ones((2, 50, 24)), keras.ops.ones((2, 50), "bool")
        >>> FixedMemory(contexts=8)(rows, mask).shape
        (2, 8, 24)
    """

    def __init__(
        self,
        contexts: int,
        position_encoding: bool = False,
        kernel_initializer: Any = "glorot_uniform",
        scoring: str = "softmax",
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        self.supports_masking = True
        check_scoring(scoring)
        self.scoring = scoring
        contexts = whole_number("contexts", contexts, 1)
        self.contexts = contexts
        self.position_encoding = true_or_false("position_encoding", position_encoding)
        self.kernel_initializer = keras.initializers.get(kernel_initializer)

    def build(self, annotations_shape: Any, mask_shape: Any = None) -> None:
        self.kernel = self.add_weight(  # W_α
            shape=(annotations_shape[-1], self.contexts),
            initializer=fresh(self.kernel_initializer, "kernel"),
            name="kernel",
        )
        self.built = True

    def call(self, annotations: Tensor, mask: Tensor | None = None) -> Tensor:
        mask = mask_or_all(mask, annotations)
        weights = ops.cast(self.weights_of(annotations, mask), annotations.dtype)
        return ops.matmul(ops.transpose(weights, (0, 2, 1)), annotations)

    def weights_of(self, annotations: Tensor, mask: Tensor) -> Tensor:
        """α [batch, n, K], 0 where no position exists; float32 at least."""
        kernel = as_tensor(self.kernel, self.compute_dtype)
        dtype = keras.backend.result_type(self.compute_dtype, "float32")
        scores = ops.cast(ops.matmul(annotations, kernel), dtype)
        counted = ops.cast(mask, dtype)
        if self.position_encoding:
            scores = scores * self._encodings(counted)
        weights = ops.sigmoid(scores)
        if self.scoring == "softmax":
            weights = softmax(scores)
        return weights * counted[:, :, None]

    def _encodings(self, counted: Tensor) -> Tensor:
        """l_sk, [batch, n, K]."""
        length = ops.maximum(ops.sum(counted, axis=1, keepdims=True), 1.0)
        place = (ops.cumsum(counted, axis=1) / length)[:, :, None]  # s/S
        context = ops.arange(1, self.contexts + 1, dtype="int32")
        context = ops.cast(context, counted.dtype) / self.contexts  # k/K
        return (1.0 - context) * (1.0 - place) + context * place

    def compute_mask(self, inputs: Any, previous_mask: Any = None) -> None:
        """None: contexts have no positions."""

    def compute_output_shape(self, annotations_shape: Any, *_: Any, **__: Any) -> Any:
        return (annotations_shape[0], self.contexts, annotations_shape[-1])

    def get_config(self) -> dict:
        return {
            **super().get_config(),
            "contexts": self.contexts,
            "position_encoding": self.position_encoding,
            "scoring": self.scoring,
            "kernel_initializer": keras.initializers.serialize(self.kernel_initializer),
        }
