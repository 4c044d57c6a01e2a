"""Flags that name trained models: --run_dir, or --pretrained in its place."""

from pathlib import Path

from absl import flags

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.own_modules import import_own
from neural_gpu_tf.pretrained_models import pretrained_names, pretrained_run


def define() -> None:
    """Defines the flags."""
    define_imports()
    flags.DEFINE_multi_string(
        "run_dir",
        [],
        "run directory of the model; for an ensemble, where one can be: give the flag "
        "once for each model",
    )
    flags.DEFINE_string(
        "pretrained",
        "",
        "instead of --run_dir: a model that comes with the package: "
        f"{', '.join(pretrained_names())}",
    )


def define_imports() -> None:
    """Defines --imports alone."""
    flags.DEFINE_string(
        "imports",
        "",
        "your own modules or .py files that the model needs, with commas between",
    )


def all_given() -> list[str | Path]:
    """The directories that are named, none if none is; imports what --imports names.

    Raises:
        InputError: both flags are given, or there is no such model.
    """
    import_own(flags.FLAGS.imports)
    run_dirs = [run_dir for run_dir in flags.FLAGS.run_dir if run_dir]
    pretrained = flags.FLAGS.pretrained
    if run_dirs and pretrained:
        raise InputError("name one model: either --run_dir or --pretrained")
    return [pretrained_run(pretrained)] if pretrained else run_dirs


def all_required() -> list[str | Path]:
    """As `all_given`; raises InputError if none is named."""
    directories = all_given()
    if not directories:
        raise InputError("name the model: --run_dir, or --pretrained")
    return directories


def given() -> str | Path:
    """The one directory that is named; "" if none is.

    Raises:
        InputError: as `all_given`; or several are named.
    """
    directories = all_given()
    if len(directories) > 1:
        raise InputError(
            f"--run_dir={directories[1]}: the second one; this command takes one model"
        )
    return directories[0] if directories else ""


def required() -> str | Path:
    """As `given`; raises InputError if none is named."""
    all_required()
    return given()


def to_be_changed() -> str | Path:
    """As `required`, of a run that gets new files: none that comes with the package."""
    directory, name = required(), flags.FLAGS.pretrained
    if name:
        raise InputError(
            f"pretrained={name}: it would change for all who use this installation; "
            f"copy {directory}, and give the copy as --run_dir"
        )
    return directory
