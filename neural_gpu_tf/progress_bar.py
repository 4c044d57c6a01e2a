"""Progress bars, on standard error."""

from collections.abc import Iterable
from typing import Any

from tqdm import tqdm

_AFTER = 3  # seconds; what is done sooner shows none


def progress_bar(
    items: Iterable[Any] | None = None,
    *,
    what: str,
    unit: str,
    total: int | None = None,
) -> tqdm:
    """A bar that shows how far something is, if it takes long; none but to a terminal.

    Args:
        items: to go through; or None, and the bar's `update` is called.
        what: what is being done.
        unit: of what, one of them, with a blank in front.
        total: how many, if it is known.
    """
    return tqdm(
        items,
        desc=what,
        unit=unit,
        total=total,
        disable=None,
        delay=_AFTER,
        leave=False,
        dynamic_ncols=True,
        mininterval=0.5,
    )
