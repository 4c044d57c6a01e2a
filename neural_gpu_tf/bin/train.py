"""neural-gpu-train: trains a model, or resumes.

neural-gpu-train --config=demo --run_dir=runs/demo    # translation
neural-gpu-train --config=badd --run_dir=runs/badd    # an algorithm
neural-gpu-train --run_dir=runs/demo                  # resumes
"""

import os
import sys
from collections.abc import Sequence

from absl import flags

from neural_gpu_tf.bin import app, train_options
from neural_gpu_tf.bin import flags as config_flags

flags.DEFINE_string(
    "config",
    "",
    "an experiment of the package by its name, like demo or badd, or a flagfile: "
    "flags, one a line; flags that come after it win",
)
flags.DEFINE_string("run_dir", None, "run directory: new, or one to resume")
flags.DEFINE_string(
    "vocab", "", "vocabulary file; empty: the run's own, or a new one from the data"
)
flags.mark_flag_as_required("run_dir")
train_options.define()


def main(argv: Sequence[str]) -> None:
    from neural_gpu_tf.training import Interrupted, WorkerLost
    from neural_gpu_tf.training.strategy import batch_parts, use_cores
    from neural_gpu_tf.workflows import train_task, train_translation

    app.no_arguments(argv)
    args = flags.FLAGS
    # That of the command line stands as --flagfile there.
    config_flags.refuse({"config"}, "in a flagfile write --flagfile=PATH in its place")
    task, data, model, training, decoding, vocabulary = train_options.read(args.run_dir)
    use_cores(batch_parts(training.batch_parts, training.replicas or 1))
    try:
        if task.task:
            train_task(args.run_dir, task, model, training, sys.argv)
        else:
            configs = data, model, training, decoding, vocabulary
            train_translation(args.run_dir, *configs, args.vocab, sys.argv)
    except Interrupted as end:
        print(f"neural-gpu-train: {end}", file=sys.stderr)
        sys.exit(end.status)
    except WorkerLost as end:
        print(f"neural-gpu-train: {end}", file=sys.stderr, flush=True)
        os._exit(end.status)  # at its end TensorFlow may wait for who is lost


def cli() -> None:
    """The console script."""
    app.run(main)


if __name__ == "__main__":
    cli()
