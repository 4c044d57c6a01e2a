"""neural-gpu-train: trains a model, or goes on with it.

neural-gpu-train --flagfile=configs/demo.flags --run_dir=runs/demo   # translation
neural-gpu-train --flagfile=configs/badd.flags --run_dir=runs/badd   # an algorithm
"""

import sys
from collections.abc import Sequence

from absl import flags

from neural_gpu_tf.bin import app
from neural_gpu_tf.bin import flags as config_flags
from neural_gpu_tf.data import DataConfig
from neural_gpu_tf.decoding import DecodingConfig
from neural_gpu_tf.models import ModelConfig
from neural_gpu_tf.text import VocabularyConfig
from neural_gpu_tf.training import CurriculumConfig, Interrupted, TrainingConfig
from neural_gpu_tf.training.strategy import batch_parts, use_cores
from neural_gpu_tf.workflows import train_task, train_translation

CONFIGS = (DataConfig, ModelConfig, TrainingConfig, DecodingConfig, VocabularyConfig)

flags.DEFINE_string("run_dir", None, "run directory: new, or one to go on with")
flags.DEFINE_string(
    "vocab", "", "vocabulary file; empty: the run's own, or a new one from the data"
)
flags.mark_flag_as_required("run_dir")
for config in (*CONFIGS, CurriculumConfig):
    config_flags.define(config)


def main(argv: Sequence[str]) -> None:
    app.no_arguments(argv)
    args, read = flags.FLAGS, config_flags.read
    task = read(CurriculumConfig)
    use_cores(batch_parts(args.batch_parts, args.replicas or 1))
    try:
        if task.task:
            models = read(ModelConfig), read(TrainingConfig)
            train_task(args.run_dir, task, *models, sys.argv)
        else:
            configs = map(read, CONFIGS)
            train_translation(args.run_dir, *configs, args.vocab, sys.argv)
    except Interrupted as interrupted:
        print(f"neural-gpu-train: {interrupted}", file=sys.stderr)
        sys.exit(128 + interrupted.signal)


def cli() -> None:
    """The console script."""
    app.run(main)


if __name__ == "__main__":
    cli()
