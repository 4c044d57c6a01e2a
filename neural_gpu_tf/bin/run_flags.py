"""Flags that name a trained model: --run_dir, or --pretrained in its place."""

from pathlib import Path

from absl import flags

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.training import pretrained_names, pretrained_run


def define() -> None:
    """Defines both flags."""
    flags.DEFINE_string("run_dir", "", "run directory of the model")
    flags.DEFINE_string(
        "pretrained",
        "",
        "instead of --run_dir: a model that comes with the package: "
        f"{', '.join(pretrained_names())}",
    )


def given() -> str | Path:
    """The directory that is named; "" if none is.

    Raises:
        InputError: both flags are given, or there is no such model.
    """
    run_dir, pretrained = flags.FLAGS.run_dir, flags.FLAGS.pretrained
    if run_dir and pretrained:
        raise InputError("name one model: either --run_dir or --pretrained")
    return pretrained_run(pretrained) if pretrained else run_dir


def required() -> str | Path:
    """As `given`; raises InputError if none is named."""
    directory = given()
    if not directory:
        raise InputError("name the model: --run_dir, or --pretrained")
    return directory
