"""Reads the config.json of runs and of prepared tokens, without TensorFlow."""

import dataclasses
import json
from pathlib import Path
from typing import Any

from neural_gpu_tf.configuration import from_dict
from neural_gpu_tf.options import ModelConfig, TrainingConfig

CHECKED = {"model": ModelConfig, "training": TrainingConfig}


def read_config(path: Path) -> dict[str, Any]:
    """A config.json; the model's and the training's options as written today.

    Raises:
        InputError: an option is unknown, missing or of a wrong type.
    """
    config = json.loads(path.read_text("utf-8"))
    for concern, cls in CHECKED.items():
        options = from_dict(cls, config[concern], str(path))
        config[concern] = dataclasses.asdict(options)
    return config
