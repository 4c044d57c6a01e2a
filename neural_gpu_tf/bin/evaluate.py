"""neural-gpu-evaluate: scores a trained model on sentence pairs, or on its task.

neural-gpu-evaluate --run_dir=runs/demo --source=test.en --target=test.fr --json
neural-gpu-evaluate --pretrained=badd --bits=20,200 --examples=100 --hard --json
"""

import json
from collections.abc import Sequence

from absl import flags

from neural_gpu_tf.bin import app, run_flags
from neural_gpu_tf.bin import flags as config_flags
from neural_gpu_tf.options import DecodingConfig, parse_bits
from neural_gpu_tf.percent import percent

run_flags.define()
flags.DEFINE_string(
    "source", "", "sentences, plain or .gz; if not given, the run's validation data"
)
flags.DEFINE_string("target", "", "references of --source, line by line, plain or .gz")
flags.DEFINE_string(
    "bits",
    "",
    "lengths to test a task at, like 20,200: digits, or symbols of a list or a string "
    "(if no string of the task has that length, the next shorter one)",
)
flags.DEFINE_integer("examples", 100, "with --bits: examples at each length")
flags.DEFINE_bool("hard", False, "with --bits: the task's hard inputs, not random ones")
flags.DEFINE_integer("test_seed", 0, "with --bits: seed of the examples", lower_bound=0)
flags.DEFINE_bool("json", False, "print one JSON object, as the last line")
config_flags.define(DecodingConfig)


def main(argv: Sequence[str]) -> None:
    from neural_gpu_tf.workflows import score_task, score_translation

    app.no_arguments(argv)
    args, run_dirs = flags.FLAGS, run_flags.all_required()
    if args.bits:
        reason = "for translations, but --bits tests a task; leave one of them out"
        of_pairs = {"source", "target"} | config_flags.names(DecodingConfig)
        config_flags.refuse(of_pairs, reason)
        bits = parse_bits("bits", args.bits)
        asked = args.examples, args.hard, args.test_seed
        result = score_task(run_flags.required(), bits, *asked)
    else:
        of_task = "examples", "hard", "test_seed"
        config_flags.refuse(of_task, "only with --bits; give --bits, or leave it out")
        decoding = config_flags.of_the_best()
        result = score_translation(run_dirs, args.source, args.target, decoding)
    if args.json:
        print(json.dumps(result))
    elif args.bits:
        print(
            f"{'length':>6} {'columns':>8} {'examples':>9} {'exact':>7} {'symbols':>8}"
        )
        for row in result["lengths"]:
            print(
                f"{row['bits']:>6} {row['columns']:>8} {row['examples']:>9} "
                f"{percent(row['exact'], 1):>7} {percent(row['symbols'], 2):>8}"
            )
    else:
        print("\n".join(f"{name:<19} {value}" for name, value in result.items()))


def cli() -> None:
    """The console script."""
    app.run(main)


if __name__ == "__main__":
    cli()
