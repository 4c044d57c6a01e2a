"""Annotations of a source, and what an active memory makes of them."""

from typing import Any

import keras
from keras import ops

from neural_gpu_tf.configuration import whole_number
from neural_gpu_tf.layers.canvas import mask_or_all
from neural_gpu_tf.layers.cgru import CGRU
from neural_gpu_tf.layers.initializers import fresh
from neural_gpu_tf.layers.kept_parts import KeepsParts
from neural_gpu_tf.layers.operations import as_tensor
from neural_gpu_tf.layers.unshared_encoder import UnsharedEncoder
from neural_gpu_tf.types import Tensor


@keras.saving.register_keras_serializable("neural_gpu_tf")
class MemoryAnnotations(KeepsParts, keras.layers.Layer):
    """Concatenates annotations with an active memory that is computed from them.

        s_0[k] = P h_k
        s_l    = CGRU_l(… CGRU_1(s_0) …)             (`UnsharedEncoder`, width 1)
        a_k    = [h_k; s_l[k]]

    What reads the annotations by attention then has both: the canvas of Kaiser & Bengio
    (2016, "Can Active Memory Replace Attention?"), and what it was made of.

    Args:
        maps: m.
        steps: l, each with weights of its own.
        kernel_size: columns that a convolution covers; odd.
        cutoff: c of the gates, see `CGRU`; 1: plain sigmoids.
        gate_bias: start of the gates' biases.
        kernel_initializer: of P and of the kernels.

    Input shape: annotations h [batch, n, d]; mask, bool [batch, n], the Keras mask of
        the annotations if not given, or all.
    Output shape: a, [batch, n, d + m], s_l being 0 where no position exists.

    Example:
        >>> rows, mask = keras.ops.ones((2, 5, 24)), keras.ops.ones((2, 5), "bool")
        >>> MemoryAnnotations(maps=8)(rows, mask).shape
        (2, 5, 32)
    """

    def __init__(
        self,
        maps: int,
        steps: int = 2,
        kernel_size: int = 3,
        cutoff: float = 1.2,
        gate_bias: float | tuple[float, float] = 1.0,
        kernel_initializer: Any = "glorot_uniform",
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        self.supports_masking = True
        steps = whole_number("steps", steps, 1)
        self.maps = maps
        self.steps = steps
        self.kernel_size = kernel_size
        self.cutoff = cutoff
        self.gate_bias = gate_bias
        self.kernel_initializer = keras.initializers.get(kernel_initializer)
        units = [
            CGRU(
                maps,
                (kernel_size, 1),
                kernel_initializer=fresh(kernel_initializer, f"unit_{i + 1}"),
                cutoff=cutoff,
                gate_bias=gate_bias,
                dtype=self.dtype_policy,
                name=f"unit_{i + 1}",
            )
            for i in range(steps)
        ]
        self.memory = UnsharedEncoder(units, dtype=self.dtype_policy, name="memory")

    def build(self, annotations_shape: Any, mask_shape: Any = None) -> None:
        self.kernel = self.add_weight(  # P
            shape=(annotations_shape[-1], self.maps),
            initializer=fresh(self.kernel_initializer, "kernel"),
            name="kernel",
        )
        self.memory.build((*annotations_shape[:2], 1, self.maps))
        self.built = True

    def call(self, annotations: Tensor, mask: Tensor | None = None) -> Tensor:
        mask = mask_or_all(mask, annotations)
        kernel = as_tensor(self.kernel, self.compute_dtype)
        canvas = ops.matmul(annotations, kernel)[:, :, None]
        columns = self.memory(canvas, mask)[:, :, 0]
        return ops.concatenate([annotations, columns], axis=-1)

    def compute_output_shape(self, annotations_shape: Any, *_: Any, **__: Any) -> Any:
        return (*annotations_shape[:2], annotations_shape[-1] + self.maps)

    def get_config(self) -> dict:
        return {
            **super().get_config(),
            "maps": self.maps,
            "steps": self.steps,
            "kernel_size": self.kernel_size,
            "cutoff": self.cutoff,
            "gate_bias": self.gate_bias,
            "kernel_initializer": keras.initializers.serialize(self.kernel_initializer),
        }
