"""Options of training: those of the flags over those of the run that is there."""

import dataclasses
import sys
from typing import NamedTuple

from absl import flags

from neural_gpu_tf.bin import flags as config_flags
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.options import (
    CurriculumConfig,
    DataConfig,
    DecodingConfig,
    ModelConfig,
    TrainingConfig,
    VocabularyConfig,
)
from neural_gpu_tf.own_modules import absolute, import_own

FILES = ("train_source", "train_target", "validation_source", "validation_target")


class TrainOptions(NamedTuple):
    """All options of a run."""

    task: CurriculumConfig
    data: DataConfig
    model: ModelConfig
    training: TrainingConfig
    decoding: DecodingConfig
    vocabulary: VocabularyConfig


def define() -> None:
    """Defines their flags."""
    for cls in TrainOptions.__annotations__.values():
        config_flags.define(cls)


def read(run_dir: str) -> TrainOptions:
    """The options of the flags; what no flag gives is the run's that is there.

    Raises:
        InputError: flags contradict each other, or the model does not take one.
    """
    from neural_gpu_tf.models import check_taken
    from neural_gpu_tf.runs import RunDirectory

    import_own(flags.FLAGS.imports)
    directory = RunDirectory(run_dir)
    there = directory.read_config() if directory.exists() else None
    if there is None:
        _files_if_named()
    concerns = TrainOptions.__annotations__.items()
    options = TrainOptions(
        # The run keeps its vocabulary, not how it was made.
        *(config_flags.read(cls, getattr(there, name, None)) for name, cls in concerns)
    )
    imports = absolute(options.training.imports)
    training = dataclasses.replace(options.training, imports=imports)
    options = options._replace(training=training)
    named = {argument.partition("=")[0].lstrip("-") for argument in sys.argv[1:]}
    of_model = {field.name for field in dataclasses.fields(ModelConfig)}
    check_taken(options.model.model, named & of_model)
    return options


def _files_if_named() -> None:
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
