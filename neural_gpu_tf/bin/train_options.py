"""Options of training: those of the flags over those of the run that is there."""

import dataclasses
import sys
from collections.abc import Callable, Sequence
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

_NAMED = {
    "files": ("train_source", "train_target", "validation_source", "validation_target"),
    "tfds": ("tfds_name",),
}
"""Flags that name data, by the --data that they imply."""

_DRAWN = ("train_examples", "validation_examples")
_LANGUAGES = ("source_language", "target_language", "train_split", "validation_split")
_TAKEN = {
    "files": {*_NAMED["files"], "data_dir"},
    "tfds": {*_NAMED["tfds"], *_LANGUAGES, "data_dir"},
    "numbers_and_dates": {*_DRAWN, "max_number"},
    "sequence_copy": {*_DRAWN, "longest_sequence"},
}
"""Flags that not all data take, by the --data that do."""


class TrainOptions(NamedTuple):
    """All options of a run."""

    task: CurriculumConfig
    data: DataConfig
    model: ModelConfig
    training: TrainingConfig
    decoding: DecodingConfig
    vocabulary: VocabularyConfig


_DROPOUT = "--curriculum_dropout", lambda o: o.task.curriculum_dropout >= 0
_CURRICULUM = "--curriculum", lambda o: o.task.curriculum
_NEEDS: dict[str, tuple[str, Callable[[TrainOptions], bool]]] = {
    "current_share": _CURRICULUM,
    "shorter_share": _CURRICULUM,
    "doubling_from": ("--doublings", lambda o: o.task.doublings > 0),
    "dropout_threshold": _DROPOUT,
    "dropout_falls_below": _DROPOUT,
    "give_up_error": ("--give_up_at", lambda o: o.task.give_up_at > 0),
    "relaxation_pull": ("--relaxations", lambda o: o.model.relaxations > 1),
    "decay_from": ("--schedule", lambda o: o.training.schedule != "constant"),
    "decoder_scoring": (
        "--attention_score=state",
        lambda o: o.model.attention_score == "state",
    ),
    "worker_deadline": (
        "--distribution=multi_worker",
        lambda o: o.training.distribution == "multi_worker",
    ),
    "adam_beta_1": ("--optimizer=adam", lambda o: o.training.optimizer != "sgd"),
    "adam_beta_2": (
        "--optimizer=adam",
        lambda o: o.training.optimizer in ("adam", "adamax"),
    ),
    "adam_epsilon": ("--optimizer=adam", lambda o: o.training.optimizer != "sgd"),
    "tried_sizes": ("--sizes=predicted", lambda o: o.decoding.sizes == "predicted"),
}
"""Flags that do nothing without another: that one, and whether the run has it."""


def define() -> None:
    """Defines their flags."""
    for cls in TrainOptions.__annotations__.values():
        config_flags.define(cls)


def read(run_dir: str) -> TrainOptions:
    """The options of the flags; what no flag gives is the run's that is there.

    Raises:
        InputError: flags contradict each other, or the run or its model does not take
            one that stands on the command line.
    """
    from neural_gpu_tf.models import check_taken
    from neural_gpu_tf.runs import RunDirectory

    import_own(flags.FLAGS.imports)
    directory = RunDirectory(run_dir)
    there = directory.read_config() if directory.exists() else None
    named = _named(sys.argv[1:])
    task = config_flags.read(CurriculumConfig, there.task if there else None)
    if there and bool(there.task.task) != bool(task.task):
        raise InputError(
            f"{run_dir}: this run has task={there.task.task!r}, not {task.task!r}; "
            "leave --task out to resume, or name another --run_dir"
        )
    _check_kind(task.task, named)
    if there is None:
        _data_if_named()
    concerns = TrainOptions.__annotations__.items()
    options = TrainOptions(
        # The run keeps its vocabulary, not how it was made.
        *(config_flags.read(cls, getattr(there, name, None)) for name, cls in concerns)
    )
    imports = absolute(options.training.imports)
    training = dataclasses.replace(options.training, imports=imports)
    options = options._replace(training=training)
    if not options.task.task:
        _check_data(options.data.data, named)
    for name in sorted(named & _NEEDS.keys()):
        needed, has = _NEEDS[name]
        if not has(options):
            why = f"does nothing without {needed}; give that too, or leave it out"
            config_flags.refuse({name}, why)
    check_taken(options.model.model, named & config_flags.names(ModelConfig))
    if whose := flags.FLAGS.vocab or training.init_from:
        why = f"the vocabulary is that of {whose}; leave one of them out"
        config_flags.refuse(named & config_flags.names(VocabularyConfig), why)
    return options


def _named(arguments: Sequence[str]) -> set[str]:
    """The names of the flags that stand on the command line; not those of its files."""
    given = (x.partition("=")[0].lstrip("-") for x in arguments if x.startswith("-"))
    return {name for x in given for name in (x, x.removeprefix("no"))}


def _check_kind(task: str, named: set[str]) -> None:
    """Raises InputError if a flag is of the other kind of run.

    Those of a flagfile may be: `--config=demo --task=badd` is an algorithm's run.
    """
    if task:
        concerns = config_flags.names(DataConfig, DecodingConfig, VocabularyConfig)
        concerns |= {"vocab", "validation_sentences"}
        why = f"for translation, but this is a run of task={task}; leave it out"
    else:
        concerns = config_flags.names(CurriculumConfig) - {"task"}
        why = "for algorithmic tasks, but this run is a translation; add --task or "
        why += "leave it out"
    config_flags.refuse(named & concerns, why)


def _data_if_named() -> None:
    """Sets --data if files, or a set of TensorFlow Datasets, are named and it is not.

    Raises:
        InputError: they are named, and data of another kind.
    """
    flag = flags.FLAGS["data"]
    for data, names in _NAMED.items():
        for name in names:
            if flags.FLAGS[name].present and not flag.present:
                flag.value, flag.present = data, 1
            elif flags.FLAGS[name].present and flag.value != data:
                raise InputError(
                    f"{name}={flags.FLAGS[name].value}: of data={data}, not "
                    f"data={flag.value}; leave one of them out"
                )


def _check_data(data: str, named: set[str]) -> None:
    """Raises InputError if a flag is of other data; those of a flagfile may be."""
    others = set().union(*_TAKEN.values()) - _TAKEN[data]
    why = f"data={data} has no use for it; leave it out, or give the --data it is of"
    config_flags.refuse(named & others, why)
