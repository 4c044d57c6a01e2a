"""Base of the units of an active memory."""

import abc
import numbers
import operator
from collections.abc import Sequence
from typing import Any, NamedTuple

import keras
from keras import ops

from neural_gpu_tf.configuration import whole_number
from neural_gpu_tf.layers.canvas import by_rows, transposed_kernel
from neural_gpu_tf.layers.convolutions import kernel_gradient
from neural_gpu_tf.layers.initializers import fresh
from neural_gpu_tf.layers.operations import as_tensor, sum_of_cells
from neural_gpu_tf.types import Tensor


def with_units(config: dict, custom_objects: Any = None) -> dict:
    """A layer's configuration with its units as layers again, for `from_config`."""
    deserialize = keras.saving.deserialize_keras_object
    units = [deserialize(unit, custom_objects) for unit in config["units"]]
    return config | {"units": units}


def _two_odd(kernel_size: Any) -> tuple[int, int]:
    """A kernel's size along both axes; raises ValueError unless it is odd."""
    one = isinstance(kernel_size, numbers.Integral) and kernel_size is not True
    sizes = (kernel_size, kernel_size) if one else kernel_size
    try:
        kn, kw = (operator.index(size) for size in sizes)
    except (TypeError, ValueError):
        kn = kw = 0
    if min(kn, kw) < 1 or not kn % 2 or not kw % 2:
        raise ValueError(
            f"kernel_size={kernel_size!r}: must be one odd whole number, or two"
        )
    return kn, kw


class Keep(NamedTuple):
    """Dropout of a canvas: what it leaves, and what that is multiplied by."""

    cells: Tensor  # bool [batch, w, n, m]
    scale: Tensor  # 1 / (1 - rate), broadcastable to them


class CanvasUnit(keras.layers.Layer, abc.ABC):
    """A unit that makes a canvas of a canvas by convolutions.

    It has kernels, [kn, kw, m, m'], and for each a *term* that is added to the
    convolution: a bias, or 0, or on a canvas with a tape B + W * p. The loop hands both
    in as tensors and gets the gradients by `backward_step` and `weight_gradients`,
    written by hand. All these take and give canvases by rows, [batch, w, n, m], and
    kernels [kw, kn, m, m'] (see `canvas`); `call` takes canvases as they are.

    Args:
        maps: m, the number of maps.
        kernel_size: (kn, kw), odd numbers: along the columns, along the width; or one
            number for both.
        kernel_initializer: of the kernels; None: "glorot_uniform", as Keras has it.

    Input shape: canvas [batch, n, w, m]; active, 1 or 0 or bool, [batch or 1, n, w or
        1, 1], optional.
    Output shape: [batch, n, w, m].
    """

    kernels_type: type
    """A NamedTuple of kernels."""

    terms_type: type
    """A NamedTuple of as many terms."""

    residual_type: type
    """A NamedTuple, [batch, w, n, m] each: what `backward_step` needs."""

    drops_candidate = False
    """Whether dropout falls on each unit's candidate; else on each step's canvas."""

    saturates = False
    """Whether the unit has a cost of saturation."""

    def __init__(
        self,
        maps: int,
        kernel_size: int | tuple[int, int] = (3, 3),
        kernel_initializer: Any = "glorot_uniform",
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        maps = whole_number("maps", maps, 1)
        self.supports_masking = True  # a mask of columns is passed on
        self.maps = maps
        self.kernel_size = _two_odd(kernel_size)
        self.kernel_initializer = keras.initializers.get(
            kernel_initializer or "glorot_uniform"
        )

    @property
    @abc.abstractmethod
    def term_maps(self) -> tuple[int, ...]:
        """m' of each term."""

    @abc.abstractmethod
    def kernels(self) -> Any:
        """The kernels as tensors, by rows: [kw, kn, m, m']."""

    @abc.abstractmethod
    def biases(self) -> Any:
        """The terms on a canvas without a tape, as tensors."""

    @abc.abstractmethod
    def forward_step(
        self,
        kernels: Any,
        terms: Any,
        canvas: Tensor,
        active: Tensor,
        keep: Keep | None = None,
    ) -> tuple[Tensor, Any, Tensor | None]:
        """The equations of the class.

        Args:
            kernels, terms: the weights.
            canvas: s, [batch, w, n, m].
            active: which cells change, broadcastable to it.
            keep: the candidate's dropout, if `drops_candidate`.

        Returns:
            The new canvas, what `backward_step` needs, and, if `saturates`, the cost of
            saturation [batch].
        """

    @abc.abstractmethod
    def backward_step(
        self,
        adjoint: Any,
        residual: Any,
        active: Tensor,
        gradient: Tensor,
        keep: Keep | None = None,
        d_saturation: Tensor | None = None,
    ) -> tuple[Tensor, Any]:
        """The gradient of `forward_step`, by hand.

        Args:
            adjoint: the transposed kernels.
            residual: from `forward_step`.
            active, keep: as given to `forward_step`.
            gradient: of the new canvas, [batch, w, n, m].
            d_saturation: the gradient of the cost of saturation, [batch].

        Returns:
            The gradient of the canvas, [batch, w, n, m], and those of the terms.
        """

    @staticmethod
    @abc.abstractmethod
    def convolved(residual: Any) -> Sequence[Tensor]:
        """What each kernel convolves, [batch, w, n, m]."""

    def weight_gradients(
        self, kernels: Any, residual: Any, d_terms: Any
    ) -> tuple[Any, Any]:
        """The gradients of kernels and biases.

        A kernel correlates what it convolves with its term's gradient; a bias's
        gradient is the sum of its term's.
        """
        given = zip(self.convolved(residual), d_terms, kernels, strict=True)
        return (
            self.kernels_type(*(kernel_gradient(*each) for each in given)),
            self.terms_type(*map(sum_of_cells, d_terms)),
        )

    def call(self, canvas: Tensor, active: Tensor | None = None) -> Tensor:
        return self.on_columns(self.biases(), canvas, active)

    dtype_policy: Any
    _is_part = False

    def take_policy(self, policy: Any, owner: str) -> None:
        """Takes the dtype policy of the layer that it is a part of.

        Raises:
            ValueError: it has weights, or is a part of a layer, of another policy.
        """
        if self.dtype_policy.name != policy.name:
            if self.built or self._is_part:
                holder = "has weights for" if self.built else "is a part of a layer of"
                raise ValueError(
                    f"{owner}: dtype={policy.name}, but {self.name} {holder} "
                    f"{self.dtype_policy.name}; give it new units"
                )
            self.dtype_policy = policy
        self._is_part = True

    def check_canvas(self, shape: Any) -> None:
        """Raises ValueError unless a canvas of this shape is [batch, n, w, m]."""
        if shape is None:
            return
        if len(shape) != 4 or shape[-1] not in (None, self.maps):
            raise ValueError(
                f"{self.name}: a canvas is [batch, columns, width, maps={self.maps}], "
                f"not {tuple(shape)}; `FirstRow` makes one from vectors"
            )

    def on_columns(self, terms: Any, canvas: Tensor, active: Tensor | None) -> Tensor:
        """The new canvas of a canvas [batch, n, w, m]; the terms are by rows."""
        canvas = by_rows(canvas)
        active = 1.0 if active is None else by_rows(ops.cast(active, canvas.dtype))
        return by_rows(self.forward_step(self.kernels(), terms, canvas, active)[0])

    def kernel_by_rows(self, kernel: keras.Variable) -> Tensor:
        """A kernel [kn, kw, m, m'] as a tensor [kw, kn, m, m']."""
        return ops.swapaxes(as_tensor(kernel, self.compute_dtype), 0, 1)

    @classmethod
    def adjoint(cls, kernels: Any) -> Any:
        """The transposed kernels, for `backward_step`."""
        return cls.kernels_type(*(transposed_kernel(kernel) for kernel in kernels))

    def add_kernel(self, name: str, count: int = 1) -> keras.Variable:
        """Adds kernels [kn, kw, m, m], side by side, drawn apart: fans are of one."""
        shape = (*self.kernel_size, self.maps)

        def draw(_: Any, dtype: str) -> Tensor:
            drawn = [
                fresh(self.kernel_initializer, f"{name}_{i}")(
                    (*shape, self.maps), dtype=dtype
                )
                for i in range(count)
            ]
            return ops.concatenate(drawn, axis=-1)

        return self.add_weight(
            shape=(*shape, count * self.maps), initializer=draw, name=name
        )

    def compute_output_shape(self, input_shape: Any, *_: Any) -> Any:
        return input_shape

    def get_config(self) -> dict:
        return {
            **super().get_config(),
            "maps": self.maps,
            "kernel_size": self.kernel_size,
            "kernel_initializer": keras.initializers.serialize(self.kernel_initializer),
        }
