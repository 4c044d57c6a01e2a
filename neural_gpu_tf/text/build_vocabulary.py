"""Builds a vocabulary from text files."""

import dataclasses
import itertools
import os
from collections.abc import Sequence

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.options import VocabularyConfig
from neural_gpu_tf.text.count_pieces import count_pieces
from neural_gpu_tf.text.lines import no_such_file, read_lines
from neural_gpu_tf.text.vocabulary import Vocabulary


def build_vocabulary(
    files: Sequence[str | os.PathLike[str]],
    size: int,
    max_characters: int = 1_000,
    min_count: int = 1,
) -> Vocabulary:
    """Counts the pieces of text files, in one pass, and keeps the most frequent.

    Shows its progress on standard error, if that is a terminal.

    Args:
        files: UTF-8 text files, plain or ".gz", one sentence a line; for a shared
            vocabulary those of both languages.
        size: the most symbols, 260 or more.
        max_characters: the most characters; they come before pieces.
        min_count: what is seen less often stays outside.

    Returns:
        The vocabulary; the same text always gives the same one.

    Raises:
        InputError: no file, a missing, empty or damaged one, or a line that is not
            UTF-8 (the message names file:line).
    """
    config = VocabularyConfig(size, max_characters, min_count)
    if not files:
        raise InputError("no text to count; name one or more text files")
    for path in files:  # before hours of counting
        if not os.path.exists(path):
            raise no_such_file(path)
    counts = count_pieces(itertools.chain.from_iterable(map(read_lines, files)))
    return Vocabulary.from_counts(*counts, *dataclasses.astuple(config))
