"""Timing contenders in turns, so that what disturbs the machine disturbs them alike."""

import statistics
import time
from collections.abc import Callable, Mapping
from typing import Any


def in_turns(
    contenders: Mapping[str, Callable[[], Any]],
    rounds: int,
    clock: Callable[[], float] = time.perf_counter,
) -> tuple[dict[str, Any], dict[str, list[float]]]:
    """Calls each once, untimed (it may trace), then all of them, again and again.

    Args:
        contenders: by name.
        rounds: how often each has its turn.
        clock: tells seconds; `time.process_time` those that this process computed.

    Returns:
        What the first calls gave, and the seconds of the others, by name.
    """
    first = {name: contender() for name, contender in contenders.items()}
    seconds: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, contender in contenders.items():
            start = clock()
            contender()
            seconds[name].append(clock() - start)
    return first, seconds


def spread(seconds: list[float]) -> dict[str, Any]:
    """Median and quartiles, which of one number are that."""
    low, median, high = statistics.quantiles(
        seconds if len(seconds) > 1 else 2 * seconds, n=4
    )
    return {"median": median, "quartiles": [low, high]}
