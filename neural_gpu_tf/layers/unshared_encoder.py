"""An encoder whose steps share no weights."""

from collections.abc import Sequence
from typing import Any

import keras
from keras import ops

from neural_gpu_tf.layers.canvas import mask_or_all
from neural_gpu_tf.layers.canvas_unit import CanvasUnit, with_units
from neural_gpu_tf.layers.on_tape import check_units
from neural_gpu_tf.types import Tensor


@keras.saving.register_keras_serializable("neural_gpu_tf")
class UnsharedEncoder(keras.layers.Layer):
    """l units, each applied once, whatever the size of the canvas.

        s_l = CGRU_l(… CGRU_1(s_0) …)

    A column sees l (kn - 1) / 2 columns to each side.

    Args:
        units: CGRU_1 … CGRU_l (or other `CanvasUnit`s without a tape).

    Input shape: canvas [batch, n, w, m]; mask, which columns exist, bool [batch, n],
        the Keras mask of the canvas if not given, or all.
    Output shape: s_l, [batch, n, w, m], zero in the columns that don't exist.

    Example:
        >>> encoder = UnsharedEncoder([CGRU(24) for _ in range(3)])
        >>> encoder(keras.random.normal((2, 5, 4, 24))).shape
        (2, 5, 4, 24)
    """

    def __init__(self, units: CanvasUnit | Sequence[CanvasUnit], **kwargs: Any):
        units = check_units(type(self).__name__, units)
        if kwargs.get("dtype") is None:
            kwargs["dtype"] = units[0].dtype_policy
        super().__init__(**kwargs)
        self.supports_masking = True
        for unit in units:
            unit.take_policy(self.dtype_policy, self.name)
        self.units = units

    def build(self, canvas_shape: Any, mask_shape: Any = None) -> None:
        for unit in self.units:
            unit.check_canvas(canvas_shape)
            if not unit.built:
                unit.build()
        self.built = True

    def call(self, canvas: Tensor, mask: Tensor | None = None) -> Tensor:
        mask = mask_or_all(mask, canvas)
        active = ops.cast(mask, canvas.dtype)[:, :, None, None]
        canvas = canvas * active
        for unit in self.units:
            canvas = unit(canvas, active)
        return canvas

    def compute_output_shape(self, canvas_shape: Any, mask_shape: Any = None) -> Any:
        return canvas_shape

    def get_config(self) -> dict:
        serialize = keras.saving.serialize_keras_object
        return {
            **super().get_config(),
            "units": [serialize(unit) for unit in self.units],
        }

    @classmethod
    def from_config(cls, config: dict, custom_objects: Any = None) -> Any:
        return cls(**with_units(config, custom_objects))
