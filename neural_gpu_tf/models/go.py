"""The symbol before the first one."""

from typing import Any

from keras import ops

Tensor = Any

GO = 1
"""As in `text/vocabulary.py`, which imports TensorFlow; a test compares them."""


def after_go(target: Tensor) -> Tensor:
    """o_{-1} … o_{n-2}: GO, then all of the target but the last; [batch, n]."""
    return ops.pad(target[:, :-1], [[0, 0], [1, 0]], constant_values=GO)
