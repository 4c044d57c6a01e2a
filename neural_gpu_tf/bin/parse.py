"""neural-gpu-parse: a tree for each line of words, with a model trained on trees.

neural-gpu-parse --run_dir=RUN < test.words > test.mrg       # lines of neural-gpu-trees
echo "The cat sat ." | neural-gpu-parse --run_dir=RUN --plain

Only trees can come out, with each word once. A line that is empty or too long gets ();
with --noconstrained so does one for which the model writes no tree over its words.
"""

import dataclasses
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from absl import flags

from neural_gpu_tf.bin import app, run_flags
from neural_gpu_tf.bin import flags as config_flags
from neural_gpu_tf.configuration import check_at_least
from neural_gpu_tf.options import DecodingConfig

run_flags.define()
flags.DEFINE_bool("plain", False, "lines are words with spaces between, as they are")
flags.DEFINE_bool("constrained", True, "only trees over the words can come out")
config_flags.define(DecodingConfig)


def trees(lines: Sequence[str], outputs: Sequence[str]) -> Iterator[Any]:
    """The tree of each output; () where it is none over its line's words."""
    from neural_gpu_tf.errors import InputError
    from neural_gpu_tf.inference import FaultyLines
    from neural_gpu_tf.parsing import Tree, from_pairs

    other = FaultyLines()
    for number, (line, output) in enumerate(zip(lines, outputs, strict=True), 1):
        faulty = False
        try:
            (tree,) = from_pairs([line], [output], "standard output")
        except InputError:
            tree, faulty = Tree(""), True
        other.count(number, faulty)
        yield tree
    other.warn("standard input", "no tree over its words came out")


def main(argv: Sequence[str]) -> None:
    from neural_gpu_tf.decoding import Constrained
    from neural_gpu_tf.inference import FaultyLines, Translator, translate_all
    from neural_gpu_tf.parsing import BracketConstraint, spell_words
    from neural_gpu_tf.runs import load_run, load_size_predictor

    app.no_arguments(argv)
    run = load_run(run_flags.required())
    given = config_flags.given(DecodingConfig)
    decoding = dataclasses.replace(run.config.decoding, **given)
    model = run.model
    if flags.FLAGS.constrained:
        check_at_least("size_margin", decoding.size_margin, 3)  # root, its end, EOS
        model = Constrained(model, BracketConstraint(run.vocabulary.symbols))
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
    for tree in trees(lines, outputs):
        print(tree)


def cli() -> None:
    """The console script."""
    app.run(main)


if __name__ == "__main__":
    cli()
