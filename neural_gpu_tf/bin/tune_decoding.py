"""neural-gpu-tune-decoding: finds the beam and the penalties that translate best.

neural-gpu-tune-decoding --run_dir=RUN --source=dev.en --target=dev.fr

Prints the scores of all combinations, the best first, which becomes the run's default.
"""

import json
from collections.abc import Callable, Sequence
from typing import Any

from absl import flags

from neural_gpu_tf.bin import app, run_flags
from neural_gpu_tf.errors import InputError

run_flags.define()
flags.DEFINE_string(
    "source", "", "sentences, plain or .gz; if not given, the run's validation data"
)
flags.DEFINE_string("target", "", "references of --source, line by line, plain or .gz")
flags.DEFINE_list("beams", "1,2,4,12", "beam widths to try")
flags.DEFINE_list("length_penalties", "0,0.6,1", "alphas to try")
flags.DEFINE_list(
    "coverage_penalties", "0,0.2", "betas to try, of a model with attention"
)
flags.DEFINE_integer("sentences", 500, "sentences, the first ones; 0: all")
flags.DEFINE_bool("json", False, "print one JSON object")


def numbers(name: str, kind: Callable[[str], Any]) -> list[Any]:
    """The values of a flag that is a list of numbers."""
    texts = getattr(flags.FLAGS, name)
    try:
        return [kind(text) for text in texts] or [kind("")]
    except ValueError as error:
        raise InputError(f"--{name}={','.join(texts)}: must be numbers") from error


def main(argv: Sequence[str]) -> None:
    from neural_gpu_tf.workflows import Trial, tune_decoding

    app.no_arguments(argv)
    args, names = flags.FLAGS, ("length_penalties", "coverage_penalties")
    alphas, betas = (numbers(name, float) for name in names)
    trials = tune_decoding(
        run_flags.to_be_changed(),
        args.source,
        args.target,
        numbers("beams", int),
        alphas,
        betas,
        args.sentences,
    )
    if args.json:
        print(json.dumps({"trials": [trial._asdict() for trial in trials]}))
        return
    for row in (Trial._fields, *([f"{x:.4g}" for x in trial] for trial in trials)):
        print(" ".join(f"{cell:>16}" for cell in row))


def cli() -> None:
    """The console script."""
    app.run(main)


if __name__ == "__main__":
    cli()
