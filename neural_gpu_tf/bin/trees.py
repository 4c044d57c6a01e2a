"""neural-gpu-trees: bracketed trees to lines of words and symbols, and back.

neural-gpu-trees --source=train.words --target=train.trees --vocab=vocab.txt *.mrg
neural-gpu-trees --source=test.words --target=test.out > test.mrg     # no tree files

The first writes all three files: what neural-gpu-train --data=files trains on.
"""

import dataclasses
import math
from collections.abc import Sequence

from absl import flags, logging

from neural_gpu_tf.bin import app
from neural_gpu_tf.bin import flags as config_flags
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.options import VocabularyConfig

flags.DEFINE_string("source", None, "the file of words, a sentence a line")
flags.DEFINE_string("target", None, "the file of symbols, a tree a line")
flags.DEFINE_string("vocab", "", "a vocabulary to write: all symbols, frequent words")
flags.mark_flags_as_required(["source", "target"])
config_flags.define(VocabularyConfig)


def main(argv: Sequence[str]) -> None:
    from neural_gpu_tf.parsing import (
        clean,
        from_pairs,
        read_trees,
        to_pair,
        write_lines,
    )
    from neural_gpu_tf.text import Vocabulary, count_pieces, read_lines

    args, config = flags.FLAGS, config_flags.read(VocabularyConfig)
    of_vocabulary = config_flags.names(VocabularyConfig)
    if not argv:
        reason = "no files of trees are named; name some, or leave it out"
        config_flags.refuse({"vocab", *of_vocabulary}, reason)
        lines = read_lines(args.source), read_lines(args.target)
        for tree in from_pairs(*lines, args.target):
            print(tree)
        return
    if not args.vocab:
        config_flags.refuse(
            of_vocabulary, "only with --vocab; give it, or leave it out"
        )
    trees = [clean(t) for path in argv for t in read_trees(read_lines(path), path)]
    pairs = [to_pair(tree) for tree in trees if tree]
    if not pairs:
        raise InputError(f"{argv[0]}: no tree with words; name files of trees")
    words, symbols = zip(*pairs, strict=True)
    if args.vocab:
        counts, always = count_pieces(words), set(" ".join(symbols).split())
        pieces = counts.pieces | dict.fromkeys(always, math.inf)
        sizes = dataclasses.astuple(config)
        vocabulary = Vocabulary.from_counts(counts.characters, pieces, *sizes)
        if not always <= set(vocabulary.pieces):
            raise InputError(f"--vocab_size={sizes[0]}: can't hold the trees' symbols")
        vocabulary.save(args.vocab)
    write_lines(args.source, words)
    write_lines(args.target, symbols)
    logging.info("%d trees; %d more have no words", len(pairs), trees.count(None))


def cli() -> None:
    """The console script."""
    app.run(main)


if __name__ == "__main__":
    cli()
