"""The dropout of layers: legal rates, and a limit for training whose dropout rises."""

import contextlib
import contextvars
import numbers
from collections.abc import Iterator

_LIMIT: contextvars.ContextVar[float | None] = contextvars.ContextVar(
    "dropout_limit", default=None
)


@contextlib.contextmanager
def dropout_at_most(rate: float | None) -> Iterator[None]:
    """Limits the dropout of this package's layers that are called within the context.

    A function that is traced within the context keeps the limit.

    Args:
        rate: the limit; None: none.
    """
    token = _LIMIT.set(rate)
    try:
        yield
    finally:
        _LIMIT.reset(token)


def check_dropout(rate: float, name: str = "dropout") -> None:
    """Raises ValueError, with the argument's name, unless the rate is in [0, 1)."""
    if not isinstance(rate, numbers.Real) or not 0 <= rate < 1:
        raise ValueError(f"{name}={rate!r}: must be in [0, 1)")


def limited_dropout(rate: float) -> float:
    """A layer's own rate, or the limit where that is lower."""
    limit = _LIMIT.get()
    return rate if limit is None else min(rate, limit)
