"""neural-gpu-average: makes one model of the mean of several models' weights.

neural-gpu-average --run_dir=runs/demo --last=5 --output=runs/demo_average
neural-gpu-average --run_dir=runs/demo --best=3 --output=runs/demo_best_three
neural-gpu-average --run_dir=runs/a --output=runs/ab runs/{a,b}/best.weights.h5
"""

import sys
from collections.abc import Sequence

from absl import flags

from neural_gpu_tf.bin import app, run_flags
from neural_gpu_tf.own_modules import import_own

run_flags.define_imports()
flags.DEFINE_string("run_dir", None, "run directory of the model")
flags.DEFINE_string("output", None, "directory of the new run")
flags.DEFINE_integer(
    "last",
    None,
    "average this many of the last checkpoints; if not given, all that were kept, or "
    "the weight files given as arguments",
)
flags.DEFINE_integer(
    "best",
    None,
    "instead of checkpoints, average this many of the best validated weights "
    "(training keeps --keep_best)",
)
flags.mark_flags_as_required(["run_dir", "output"])


def main(argv: Sequence[str]) -> None:
    from neural_gpu_tf.workflows.average_weights import average_weights

    args = flags.FLAGS
    import_own(args.imports)
    which = argv, args.last, args.best
    print(average_weights(args.run_dir, args.output, *which, sys.argv))


def cli() -> None:
    """The console script."""
    app.run(main)


if __name__ == "__main__":
    cli()
