"""neural-gpu-report: a page that compares trained translation models.

neural-gpu-report runs/extended runs/attention --source=test.en --target=test.fr \\
  --out=report

Writes report/index.html, which any browser shows without a server or a network, and
beside it every number in CSV files and every figure as a PNG. The first run is the one
that the others are compared with.
"""

import logging
from collections.abc import Sequence

from absl import flags

from neural_gpu_tf.bin import app, run_flags
from neural_gpu_tf.bin import flags as config_flags
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.options import DecodingConfig
from neural_gpu_tf.own_modules import import_own

flags.DEFINE_string("source", "", "sentences, plain or .gz")
flags.DEFINE_string("target", "", "references of --source, line by line, plain or .gz")
flags.DEFINE_string("out", "", "directory of the report; made if it is missing")
flags.DEFINE_integer(
    "bucket_words", 10, "width of the figure's source-length buckets, in words"
)
config_flags.define(DecodingConfig)
run_flags.define_imports()


def main(argv: Sequence[str]) -> None:
    from neural_gpu_tf.workflows.report_runs import report_runs

    args = flags.FLAGS
    import_own(args.imports)
    if not argv:
        raise InputError("no run given; name one run directory or more")
    if not (args.source and args.target):
        raise InputError("--source and --target: give both")
    if not args.out:
        raise InputError("--out is empty; name a directory for the report")
    logging.getLogger("sacrebleu").setLevel(logging.WARNING)  # it tells every step
    decoding = config_flags.of_the_best()
    print(
        report_runs(
            argv, args.source, args.target, args.out, decoding, args.bucket_words
        )
    )


def cli() -> None:
    """The console script."""
    app.run(main)


if __name__ == "__main__":
    cli()
