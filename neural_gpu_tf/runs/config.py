"""The configuration of a run."""

import dataclasses

from neural_gpu_tf.data import DataConfig
from neural_gpu_tf.decoding import DecodingConfig
from neural_gpu_tf.models import ModelConfig
from neural_gpu_tf.training import CurriculumConfig, TrainingConfig


@dataclasses.dataclass(frozen=True)
class RunConfig:
    """What `config.json` holds."""

    data: DataConfig
    model: ModelConfig
    training: TrainingConfig
    decoding: DecodingConfig
    vocabulary_size: int
    vocabulary_fingerprint: str  # "" for an algorithmic task, whose symbols are its own
    task: CurriculumConfig = CurriculumConfig()
