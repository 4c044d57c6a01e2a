"""Types that annotations share."""

from typing import Any, TypeAlias

Tensor: TypeAlias = Any
"""A tensor of the Keras backend, a `keras.KerasTensor`, or what converts to one."""
