"""neural-gpu-parse: a tree for each line of words, with a model trained on trees.

neural-gpu-parse --run_dir=RUN < test.words > test.mrg       # lines of neural-gpu-trees
echo "The cat sat ." | neural-gpu-parse --run_dir=RUN --plain

Only trees can come out, with each word once. A line that is empty or too long gets ();
so does one for which no tree over its words comes out, as may be with --noconstrained,
or on a canvas that is too small. If the run has fitted canvas sizes, all are tried all
the same, since its trees may want larger ones; --sizes=predicted asks for those.
"""

import sys
from collections.abc import Iterator, Sequence

from absl import flags

from neural_gpu_tf.bin import app, run_flags
from neural_gpu_tf.bin import flags as config_flags
from neural_gpu_tf.options import DecodingConfig

run_flags.define()
flags.DEFINE_bool("plain", False, "lines are words with spaces between, as they are")
flags.DEFINE_bool("constrained", True, "only trees over the words can come out")
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
