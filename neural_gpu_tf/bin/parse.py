"""neural-gpu-parse: a tree for each line of words, with a model trained on trees.

neural-gpu-parse --run_dir=RUN < test.words > test.mrg       # lines of neural-gpu-trees
echo "The cat sat ." | neural-gpu-parse --run_dir=RUN --plain

Only trees can come out, with each word once. A line that is empty or too long gets ().
"""

import dataclasses
import sys
from collections.abc import Sequence

import numpy as np
from absl import flags

from neural_gpu_tf.bin import app, run_flags
from neural_gpu_tf.bin import flags as config_flags
from neural_gpu_tf.configuration import check_at_least
from neural_gpu_tf.options import DecodingConfig

run_flags.define()
flags.DEFINE_bool("plain", False, "lines are words with spaces between, as they are")
config_flags.define(DecodingConfig)


def main(argv: Sequence[str]) -> None:
    from neural_gpu_tf.decoding import Constrained
    from neural_gpu_tf.inference import FaultyLines, Translator, translate_all
    from neural_gpu_tf.parsing import BracketConstraint, from_pairs, spell_words
    from neural_gpu_tf.runs import load_run, load_size_predictor

    app.no_arguments(argv)
    run = load_run(run_flags.required())
    given = config_flags.given(DecodingConfig)
    decoding = dataclasses.replace(run.config.decoding, **given)
    check_at_least("size_margin", decoding.size_margin, 3)  # root, its end and EOS
    model = Constrained(run.model, BracketConstraint(run.vocabulary.symbols))
    sizes = load_size_predictor(run, decoding)
    translator = Translator(model, run.tokenizer, decoding, size_predictor=sizes)
    lines = sys.stdin.read().splitlines()
    if flags.FLAGS.plain:
        lines = [spell_words(line.split()) for line in lines]
    cut = FaultyLines()
    for number, long in enumerate(translator.too_long(np.array(lines, object)), 1):
        cut.count(number, long)
        if long:
            lines[number - 1] = ""
    cut.warn(
        "standard input", "longer than --max_source_length symbols; no tree of its own"
    )
    outputs = [answer.text for answer in translate_all(translator.translate, lines)]
    for tree in from_pairs(lines, outputs, "standard output"):
        print(tree)


def cli() -> None:
    """The console script."""
    app.run(main)


if __name__ == "__main__":
    cli()
