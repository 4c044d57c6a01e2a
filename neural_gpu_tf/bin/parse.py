"""neural-gpu-parse: a tree for each line of words, with a model trained on trees.

neural-gpu-parse --run_dir=RUN < test.words > test.mrg       # lines of neural-gpu-trees
echo "The cat sat ." | neural-gpu-parse --run_dir=RUN --plain

Decoding is constrained to trees with each word once. A line that is empty or too long
gets (), and so does one without a tree over its words (with --noconstrained, or if the
canvas is too small). All canvas sizes are tried even if the run has a size predictor,
since trees may need larger ones; --sizes=predicted uses it.
"""

import sys
from collections.abc import Iterator, Sequence

from absl import flags

from neural_gpu_tf.bin import app, run_flags
from neural_gpu_tf.bin import flags as config_flags
from neural_gpu_tf.options import DecodingConfig

run_flags.define()
flags.DEFINE_bool("plain", False, "lines are plain words, separated by spaces")
flags.DEFINE_bool("constrained", True, "constrain decoding to trees over the words")
config_flags.define(DecodingConfig)


def spelled() -> Iterator[str]:
    """The lines of standard input, their words spelled as models read them."""
    from neural_gpu_tf.parsing import plain_words, spell_words
    from neural_gpu_tf.text.lines import decoded_lines

    for line in decoded_lines(sys.stdin.buffer, "standard input"):
        yield spell_words(plain_words(line)) if flags.FLAGS.plain else line


def main(argv: Sequence[str]) -> None:
    from neural_gpu_tf.workflows import parse_lines

    app.no_arguments(argv, reads="lines of words")
    decoding = config_flags.of_the_best()
    constrained = flags.FLAGS.constrained
    for tree in parse_lines(run_flags.required(), spelled(), decoding, constrained):
        print(tree)


def cli() -> None:
    """The console script."""
    app.run(main)


if __name__ == "__main__":
    cli()
