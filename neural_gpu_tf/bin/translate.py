"""neural-gpu-translate: translates standard input to standard output, line by line.

neural-gpu-translate --run_dir=runs/demo < sentences.en > sentences.fr
neural-gpu-translate --export_dir=runs/demo/export/1 < sentences.en
"""

import dataclasses
import sys
from collections.abc import Sequence

from absl import flags, logging

from neural_gpu_tf.bin import app, run_flags
from neural_gpu_tf.bin import flags as config_flags
from neural_gpu_tf.decoding import DecodingConfig
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.serving import ExportedTranslator, Translator, translate_stream
from neural_gpu_tf.training import load_run

run_flags.define()
flags.DEFINE_string(
    "export_dir",
    "",
    "instead of --run_dir: one version of an export, e.g. runs/demo/export/1",
)
config_flags.define(DecodingConfig)


def main(argv: Sequence[str]) -> None:
    app.no_arguments(argv)
    run_dir, export_dir = run_flags.given(), flags.FLAGS.export_dir
    given = config_flags.given(DecodingConfig)
    if bool(run_dir) == bool(export_dir):
        raise InputError("name the model: either --run_dir or --export_dir")
    if export_dir and given:
        raise InputError(
            f"--{next(iter(given))}: an export decodes as it was exported; leave the "
            "flag out, or give --run_dir"
        )
    if export_dir:
        translator = ExportedTranslator(export_dir)
    else:
        run = load_run(run_dir)
        decoding = dataclasses.replace(run.config.decoding, **given)
        translator = Translator(run.model, run.tokenizer, decoding)
    logging.info("ready")
    translate_stream(translator, sys.stdin.buffer, sys.stdout.buffer)


def cli() -> None:
    """The console script."""
    app.run(main)


if __name__ == "__main__":
    cli()
