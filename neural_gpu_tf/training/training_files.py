"""Where training writes."""

import dataclasses
from pathlib import Path


@dataclasses.dataclass(frozen=True)
class TrainingFiles:
    """Where training writes."""

    checkpoints: Path  # directory of checkpoints
    events: Path  # directory of TensorBoard's events
    best: Path  # directory of the few best validated weights
    best_weights: Path  # the weights with the lowest validation loss
    last_weights: Path  # the weights at the last validation
    diverged: Path  # says that training ended without a finite loss, and where
