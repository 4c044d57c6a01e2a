"""neural-gpu-evalb: scores a parser's trees, as EVALB does with COLLINS.prm.

neural-gpu-evalb gold.mrg test.mrg --json

Both files hold bracketed trees, plain or .gz, one test tree for each gold tree; () says
that there is no parse. Traces and function tags may stand in them.
"""

import json
from collections.abc import Sequence

from absl import flags, logging

from neural_gpu_tf.bin import app
from neural_gpu_tf.errors import InputError

flags.DEFINE_integer(
    "most_words",
    None,
    "score only sentences of at most so many words, as in EVALB's second table (40)",
    lower_bound=1,
)
flags.DEFINE_bool(
    "gold_punctuation",
    False,
    "delete punctuation by its gold tag on both sides; EVALB uses each side's own "
    "tags, and skips sentences in which they differ",
)
flags.DEFINE_bool("json", False, "print one JSON object, as the last line")


def main(argv: Sequence[str]) -> None:
    from neural_gpu_tf.parsing import evalb, read_trees
    from neural_gpu_tf.text import read_lines

    if len(argv) != 2:
        raise InputError(f"{len(argv)} files given; name two, gold.mrg and test.mrg")
    gold, test = (read_trees(read_lines(path), path) for path in argv)
    options = flags.FLAGS.most_words, flags.FLAGS.gold_punctuation
    result = evalb(gold, test, *options)._asdict()
    for fault in result.pop("faults"):
        logging.warning("%s", fault)
    if flags.FLAGS.json:
        print(json.dumps(result))
        return
    for name, value in result.items():
        print(f"{name:<21} {value:{'.2f' if isinstance(value, float) else 'd'}}")


def cli() -> None:
    """The console script."""
    app.run(main)


if __name__ == "__main__":
    cli()
