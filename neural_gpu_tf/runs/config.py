"""The configuration of a run."""

import dataclasses

from neural_gpu_tf.options import (
    CurriculumConfig,
    DataConfig,
    DecodingConfig,
    ModelConfig,
    TrainingConfig,
)


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

    @property
    def symbols(self) -> tuple[str, ...]:
        """The names of the task's symbols; of a translation (), vocab.txt has them."""
        return tuple(self.task.algorithm.symbols) if self.task.task else ()
