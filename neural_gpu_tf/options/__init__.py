"""All options, as frozen dataclasses of plain values; nothing heavy is imported."""

from neural_gpu_tf.options.curriculum import CurriculumConfig, parse_bits
from neural_gpu_tf.options.data import DataConfig
from neural_gpu_tf.options.decoding import DecodingConfig
from neural_gpu_tf.options.model import ModelConfig
from neural_gpu_tf.options.sampling import SamplingConfig
from neural_gpu_tf.options.serving import ServingConfig
from neural_gpu_tf.options.training import TrainingConfig
from neural_gpu_tf.options.vocabulary import VocabularyConfig

__all__ = [
    "CurriculumConfig",
    "DataConfig",
    "DecodingConfig",
    "ModelConfig",
    "SamplingConfig",
    "ServingConfig",
    "TrainingConfig",
    "VocabularyConfig",
    "parse_bits",
]
