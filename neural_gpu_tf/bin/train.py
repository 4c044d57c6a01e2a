"""neural-gpu-train: trains a model, or goes on with it.

neural-gpu-train --flagfile=configs/demo.flags --run_dir=runs/demo   # translation
neural-gpu-train --flagfile=configs/badd.flags --run_dir=runs/badd   # an algorithm
neural-gpu-train --run_dir=runs/demo                                 # resumes
"""

import sys
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from absl import flags

from neural_gpu_tf.bin import app
from neural_gpu_tf.bin import flags as config_flags
from neural_gpu_tf.data import DataConfig
from neural_gpu_tf.decoding import DecodingConfig
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.models import ModelConfig
from neural_gpu_tf.models.config import check_taken
from neural_gpu_tf.runs import RunDirectory
from neural_gpu_tf.text import VocabularyConfig
from neural_gpu_tf.training import CurriculumConfig, Interrupted, TrainingConfig
from neural_gpu_tf.training.strategy import batch_parts, use_cores
from neural_gpu_tf.workflows import train_task, train_translation

CONCERNS = {
    DataConfig: "data",
    ModelConfig: "model",
    TrainingConfig: "training",
    DecodingConfig: "decoding",
    CurriculumConfig: "task",
}
FILES = ("train_source", "train_target", "validation_source", "validation_target")
CONFIGS = (DataConfig, ModelConfig, TrainingConfig, DecodingConfig, VocabularyConfig)

flags.DEFINE_string("run_dir", None, "run directory: new, or one to go on with")
flags.DEFINE_string(
    "vocab", "", "vocabulary file; empty: the run's own, or a new one from the data"
)
flags.mark_flag_as_required("run_dir")
for config in (*CONFIGS, CurriculumConfig):
    config_flags.define(config)


def files_if_named() -> None:
    """Sets --data=files if files are named and --data is not.

    Raises:
        InputError: files are named, and data that have none.
    """
    named = [name for name in FILES if flags.FLAGS[name].present]
    if named and not flags.FLAGS["data"].present:
        flags.FLAGS["data"].value = "files"
    elif named and flags.FLAGS.data != "files":
        raise InputError(
            f"{named[0]}={flags.FLAGS[named[0]].value}: data={flags.FLAGS.data} has no "
            "files; leave one of them out"
        )


def main(argv: Sequence[str]) -> None:
    app.no_arguments(argv)
    args, directory = flags.FLAGS, RunDirectory(flags.FLAGS.run_dir)
    there = directory.read_config() if directory.exists() else None

    def read(cls: type) -> Any:
        """The options of the flags, and of the run that is there."""
        return config_flags.read(cls, getattr(there, CONCERNS.get(cls, ""), None))

    if there is None:
        files_if_named()
    named = {argument.partition("=")[0].lstrip("-") for argument in sys.argv[1:]}
    check_taken(args.model, named & {field.name for field in fields(ModelConfig)})
    task = read(CurriculumConfig)
    use_cores(batch_parts(args.batch_parts, args.replicas or 1))
    try:
        if task.task:
            models = read(ModelConfig), read(TrainingConfig)
            train_task(args.run_dir, task, *models, sys.argv)
        else:
            data, model, training, decoding, words = map(read, CONFIGS)
            configs = data, model, training, decoding, words
            train_translation(args.run_dir, *configs, args.vocab, sys.argv)
    except Interrupted as interrupted:
        print(f"neural-gpu-train: {interrupted}", file=sys.stderr)
        sys.exit(128 + interrupted.signal)


def cli() -> None:
    """The console script."""
    app.run(main)


if __name__ == "__main__":
    cli()
