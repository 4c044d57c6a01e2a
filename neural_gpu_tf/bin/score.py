"""neural-gpu-score: how likely a model finds given translations.

neural-gpu-score --run_dir=runs/demo --source=test.en --target=test.fr > scores.tsv

Prints a line a pair: the natural log-probability of the target (teacher forcing, EOS
included), its symbols with EOS, and their quotient, separated by tabs.
"""

import dataclasses
from collections.abc import Sequence

from absl import flags, logging

from neural_gpu_tf.bin import app, run_flags
from neural_gpu_tf.errors import InputError

run_flags.define()
flags.DEFINE_string("source", "", "sentences, plain or .gz")
flags.DEFINE_string(
    "target", "", "translations of --source, line by line, plain or .gz"
)
flags.DEFINE_enum(
    "sizes",
    "training",
    ("training", "all"),
    "canvas of a pair: as in training, of max(|source|, |target| with EOS) symbols; or "
    "of all the sizes that decoding tries and the target fits, the likeliest one",
)


def main(argv: Sequence[str]) -> None:
    from neural_gpu_tf.data import TextFiles, read_pairs
    from neural_gpu_tf.evaluation.score_pairs import score_pairs
    from neural_gpu_tf.runs.load_runs import load_runs

    app.no_arguments(argv)
    args, run_dirs = flags.FLAGS, run_flags.all_required()
    if not (args.source and args.target):
        raise InputError("--source and --target: give both")
    pairs = TextFiles({"pairs": (args.source, args.target)}).dataset("pairs")
    sources, targets = read_pairs(pairs)
    run = load_runs(run_dirs)
    decoding = dataclasses.replace(run.config.decoding, sizes="all")
    decoding = decoding if args.sizes == "all" else None
    logging.info("scoring %d pairs", len(sources))
    for log_p, symbols, _ in score_pairs(
        run.model, run.tokenizer, sources, targets, run.config.data, decoding
    ):
        print(f"{log_p:.6f}\t{symbols}\t{log_p / symbols:.6f}")


def cli() -> None:
    """The console script."""
    app.run(main)


if __name__ == "__main__":
    cli()
