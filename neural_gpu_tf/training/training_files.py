"""Where training writes."""

import dataclasses
import os
import re
from pathlib import Path

CHECKPOINT = "ckpt"
"""The name of checkpoints, before the step."""


@dataclasses.dataclass(frozen=True)
class TrainingFiles:
    """Where training writes."""

    checkpoints: Path  # directory of checkpoints
    events: Path  # directory of TensorBoard's events
    best: Path  # directory of the few best validated weights
    best_weights: Path  # the weights with the lowest validation loss
    last_weights: Path  # the weights at the last validation
    diverged: Path  # says that training ended without a finite loss, and where


def checkpoint_steps(directory: Path) -> set[int]:
    """The steps that have an index, which is what is written last of a checkpoint.

    Raises:
        OSError: the directory can't be read, so what it has is unknown.
    """
    names = os.listdir(directory) if directory.exists() else []
    found = (re.fullmatch(rf"{CHECKPOINT}-(\d+)\.index", name) for name in names)
    return {int(match[1]) for match in found if match}
