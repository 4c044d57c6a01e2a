"""Shares as they are printed."""


def percent(share: float, places: int = 0) -> str:
    """A share as per cent; 100% and 0% are only what is all and what is none.

    What would be rounded to either has as many more places as it takes: 0.9996 is
    99.96%.

    Args:
        share: from 0 to 1.
        places: decimal places.
    """
    text = f"{share:.{places}%}"
    while float(text[:-1]) in (0.0, 100.0) and 0.0 < share < 1.0 and places < 14:
        places += 1
        text = f"{share:.{places}%}"
    return text
