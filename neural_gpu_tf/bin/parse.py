"""neural-gpu-parse: a tree for each line of words, with a model trained on trees.

neural-gpu-parse --run_dir=RUN < test.words > test.mrg       # lines of neural-gpu-trees
echo "The cat sat ." | neural-gpu-parse --run_dir=RUN --plain

Only trees can come out, with each word once. A line that is empty or too long gets ();
with --noconstrained so does one for which the model writes no tree over its words.
"""

import dataclasses
import sys
from collections.abc import Iterable, Sequence

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


def emptied(lines: list[str], wrong: Iterable[bool], what: str) -> None:
    """Empties the lines that are wrong, and warns of all of them at once."""
    from neural_gpu_tf.inference import FaultyLines

    faulty = FaultyLines()
    for number, bad in enumerate(wrong, 1):
        faulty.count(number, bad)
        if bad:
            lines[number - 1] = ""
    faulty.warn("standard input", what)


def main(argv: Sequence[str]) -> None:
    from neural_gpu_tf.decoding import Constrained
    from neural_gpu_tf.inference import Translator, translate_all
    from neural_gpu_tf.parsing import (
        BracketConstraint,
        from_pairs,
        is_tree,
        read_words,
        spell_words,
    )
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
    emptied(
        lines,
        translator.too_long(np.array(lines, object)),
        "longer than --max_source_length symbols; no tree of its own",
    )
    outputs = [answer.text for answer in translate_all(translator.translate, lines)]
    if not flags.FLAGS.constrained:
        wrong = [
            not is_tree(out, read_words(line, f"standard input:{number}"))
            for number, (line, out) in enumerate(zip(lines, outputs, strict=True), 1)
        ]
        emptied(outputs, wrong, "no tree over its words came out")
    for tree in from_pairs(lines, outputs, "standard output"):
        print(tree)


def cli() -> None:
    """The console script."""
    app.run(main)


if __name__ == "__main__":
    cli()
