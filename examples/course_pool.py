"""Batches of the courses of several seeds, drawn ahead by processes beside training."""

import concurrent.futures
import itertools
import json
import multiprocessing
from collections.abc import Sequence
from typing import Any

import numpy as np

from neural_gpu_tf.curriculum import Course
from neural_gpu_tf.options import CurriculumConfig

COLUMNS = (16, 24, 32, 48, 64, 96, 128, 192, 256)
"""How wide batches are, so that few shapes are compiled; wider ones by the last."""
AT_ONCE = 5
"""Batches that a process draws at once."""


def draw(config: CurriculumConfig, state: str, count: int) -> list[tuple]:
    """The next batches of a course: for each its length and its buckets as bytes."""
    course, drawn = Course(config), []
    course.deserialize(state)
    for _ in range(count):
        buckets = [
            {
                name: x.astype("int32" if name == "size" else "uint8")
                for name, x in bucket.items()
            }
            for bucket in course.draw()
        ]
        drawn.append((course.drawn, buckets))
    return drawn


class CoursePool:
    """The courses of several seeds, in chunks of steps.

    While a chunk is trained on, the next one is drawn. So what a step was right at
    changes the lengths only in the chunk after the next: up to two chunks late.

    Args:
        configs: of each seed's course.
        chunk: the steps of a chunk, a multiple of `AT_ONCE`.
        processes: how many draw.
        states: where the courses stand; none: at their start.
    """

    def __init__(
        self,
        configs: Sequence[CurriculumConfig],
        chunk: int,
        processes: int,
        states: Sequence[str] = (),
    ):
        self.courses = [Course(config) for config in configs]
        for course, state in zip(self.courses, states, strict=bool(states)):
            course.deserialize(state)
        self.chunk = chunk
        context = multiprocessing.get_context("spawn")
        self._pool = concurrent.futures.ProcessPoolExecutor(processes, context)
        self._asked = [course.taken for course in self.courses]
        self._futures: list[list[Any]] = []

    def ask(self) -> None:
        """Has the next chunk drawn, by what the courses know now."""
        futures = []
        for i, course in enumerate(self.courses):
            _, *known = json.loads(course.serialize())
            starts = range(self._asked[i], self._asked[i] + self.chunk, AT_ONCE)
            states = [json.dumps([start, *known]) for start in starts]
            futures.append(
                [self._pool.submit(draw, course.config, s, AT_ONCE) for s in states]
            )
            self._asked[i] += self.chunk
        self._futures.append(futures)

    def chunk_of_batches(self) -> list[tuple[list[int], list[dict[str, np.ndarray]]]]:
        """The oldest chunk asked for: each step's lengths by seed, and its buckets."""
        futures = self._futures.pop(0)
        by_seed = [
            list(itertools.chain.from_iterable(f.result() for f in parts))
            for parts in futures
        ]
        return [
            (
                [drawn for drawn, _ in step],
                [stacked(same) for same in zip(*(x for _, x in step), strict=True)],
            )
            for step in zip(*by_seed, strict=True)
        ]

    def note(self, drawn: Sequence[int], shares: Sequence[float]) -> None:
        """Tells the courses of a step: what was drawn, and which share was right."""
        for course, length, share in zip(self.courses, drawn, shares, strict=True):
            course.taken += 1
            course.drawn = length
            course.note(float(share))

    def close(self) -> None:
        """Ends the processes."""
        self._pool.shutdown(cancel_futures=True)


def stacked(batches: Sequence[dict[str, np.ndarray]]) -> dict[str, np.ndarray]:
    """Batches as arrays [seeds, batch, …], with blank columns and rows of size 0."""
    rows = max(len(batch["size"]) for batch in batches)
    n = max(batch["source"].shape[1] for batch in batches)
    n = next((c for c in COLUMNS if c >= n), -(-n // COLUMNS[-1]) * COLUMNS[-1])

    def padded(x: np.ndarray) -> np.ndarray:
        missing = [(0, rows - len(x)), (0, n - x.shape[-1])]
        return np.pad(x, missing[: x.ndim]).astype("int32")

    return {
        name: np.stack([padded(batch[name]) for batch in batches])
        for name in ("source", "target", "size")
    }
