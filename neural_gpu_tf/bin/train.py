"""neural-gpu-train: trains a translation model, or goes on with it."""

import sys
from collections.abc import Sequence

from absl import flags

from neural_gpu_tf.bin import app
from neural_gpu_tf.bin import flags as config_flags
from neural_gpu_tf.data import DataConfig
from neural_gpu_tf.decoding import DecodingConfig
from neural_gpu_tf.models import ModelConfig
from neural_gpu_tf.text import VocabularyConfig
from neural_gpu_tf.training import Interrupted, TrainingConfig, train_translation
from neural_gpu_tf.training.strategy import default_parts, use_cores

CONFIGS = (DataConfig, ModelConfig, TrainingConfig, DecodingConfig, VocabularyConfig)

flags.DEFINE_string("run_dir", None, "run directory: new, or one to go on with")
flags.DEFINE_string(
    "vocab", "", "vocabulary file; empty: the run's own, or a new one from the data"
)
flags.mark_flag_as_required("run_dir")
for config in CONFIGS:
    config_flags.define(config)


def main(argv: Sequence[str]) -> None:
    app.no_arguments(argv)
    configs = [config_flags.read(config) for config in CONFIGS]
    use_cores(flags.FLAGS.batch_parts or default_parts(flags.FLAGS.replicas or 1))
    try:
        train_translation(
            flags.FLAGS.run_dir,
            *configs,
            vocabulary_path=flags.FLAGS.vocab,
            command=sys.argv,
        )
    except Interrupted as interrupted:
        print(f"neural-gpu-train: {interrupted}", file=sys.stderr)
        sys.exit(128 + interrupted.signal)


def cli() -> None:
    """The console script."""
    app.run(main)


if __name__ == "__main__":
    cli()
