"""neural-gpu-fit-sizes: learns which canvas sizes are worth trying for a source.

neural-gpu-fit-sizes --run_dir=runs/demo
neural-gpu-translate --run_dir=runs/demo --sizes=predicted --tried_sizes=2 < some.en

The model is unchanged; the size predictor is written into the run directory. Prints how
often the k likeliest sizes give the same translation as all sizes. The smallest k that
loses nothing becomes the run's default (--sizes=all: try all sizes again).
"""

import json
from collections.abc import Sequence

from absl import flags

from neural_gpu_tf.bin import app, run_flags

run_flags.define()
flags.DEFINE_string(
    "source", "", "sentences, plain or .gz; if not given, those of the training data"
)
flags.DEFINE_integer("examples", 5_000, "sentences to read at most, the first ones")
flags.DEFINE_bool(
    "length_alone",
    False,
    "predict from the source's length alone, as Kaiser & Bengio (2016) did, not also "
    "from the encoder's output",
)
flags.DEFINE_bool("json", False, "print one JSON object")


def main(argv: Sequence[str]) -> None:
    from neural_gpu_tf.workflows import fit_sizes

    app.no_arguments(argv)
    args = flags.FLAGS
    result = fit_sizes(
        run_flags.to_be_changed(), args.source, args.examples, args.length_alone
    )
    if args.json:
        print(json.dumps(result))
        return
    print(f"fitted to {result['examples']} sentences; held out: {result['held_out']}")
    for tried, share in result["same"].items():
        print(f"--tried_sizes={tried}: {share:.2%} of them as on all sizes")
    if result["default"]:
        print(f"the default now: --sizes=predicted --tried_sizes={result['default']}")
    else:
        print("all sizes stay the default: too few are the same, or held out")


def cli() -> None:
    """The console script."""
    app.run(main)


if __name__ == "__main__":
    cli()
