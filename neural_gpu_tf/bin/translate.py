"""neural-gpu-translate: translates standard input to standard output, line by line.

neural-gpu-translate --run_dir=runs/demo < sentences.en > sentences.fr
neural-gpu-translate --run_dir=runs/a --run_dir=runs/b --beam=4 < sentences.en
neural-gpu-translate --export_dir=runs/demo/export/1 < sentences.en
neural-gpu-translate --run_dir=runs/back --sample --top_p=0.9 < mono.fr > mono.en
"""

import sys
from collections.abc import Sequence
from io import BufferedReader
from typing import cast

from absl import flags, logging

from neural_gpu_tf.bin import app, run_flags
from neural_gpu_tf.bin import flags as config_flags
from neural_gpu_tf.bin.terminal import standard_output
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.options import DecodingConfig, SamplingConfig

run_flags.define()
flags.DEFINE_string(
    "export_dir", "", "instead of --run_dir: a version of an export, e.g. RUN/export/1"
)
config_flags.define(DecodingConfig)
config_flags.define(SamplingConfig)
flags.DEFINE_string("alignments", "", "folder for a picture of each line's attention")


def main(argv: Sequence[str]) -> None:
    from neural_gpu_tf.inference import translate_stream
    from neural_gpu_tf.runs import load_runs, run_translator

    app.no_arguments(argv, reads="sentences")
    run_dirs, export_dir = run_flags.all_given(), flags.FLAGS.export_dir
    given = config_flags.given(DecodingConfig)
    own = {**given, **config_flags.given(SamplingConfig)}
    if bool(run_dirs) == bool(export_dir):
        raise InputError("name the model: either --run_dir or --export_dir")
    if export_dir and own:
        raise InputError(
            f"--{next(iter(own))}: an export decodes as it was exported; leave the "
            "flag out, or give --run_dir"
        )
    sampling = config_flags.read(SamplingConfig)
    sampling.check_flags(own)
    folder = flags.FLAGS.alignments
    streams = cast(BufferedReader, sys.stdin.buffer), standard_output()
    if export_dir and folder:
        raise InputError("--alignments: an export has no attention; give --run_dir")
    if export_dir:
        from neural_gpu_tf.serving import load_exported

        translate_stream(load_exported(export_dir), *streams)
        return
    translator, each = run_translator(load_runs(run_dirs), given, sampling), None
    if folder:
        from neural_gpu_tf.evaluation import AlignmentPictures  # it imports far more

        each = AlignmentPictures(translator).writer(folder)
    logging.info("ready")
    translate_stream(translator, *streams, each=each)


def cli() -> None:
    """The console script."""
    app.run(main)


if __name__ == "__main__":
    cli()
