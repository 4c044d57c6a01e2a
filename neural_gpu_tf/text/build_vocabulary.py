"""Builds a vocabulary from text files."""

import os
import sys
from collections.abc import Iterator, Sequence

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.options import VocabularyConfig
from neural_gpu_tf.text.count_pieces import count_pieces
from neural_gpu_tf.text.lines import no_such_file, read_lines
from neural_gpu_tf.text.progress import Progress
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
    progress = Progress(sum(_size(path) for path in files), sys.stderr)
    try:
        counts = count_pieces(_sentences(files, progress))
    finally:
        progress.close()
    return Vocabulary.from_counts(
        counts.characters,
        counts.pieces,
        config.vocab_size,
        config.max_characters,
        config.min_count,
    )


def _size(path: str | os.PathLike[str]) -> int:
    """The size of a file, so that a missing one is told before hours of counting."""
    try:
        return os.path.getsize(path)
    except OSError as error:
        raise no_such_file(path) from error


def _sentences(
    files: Sequence[str | os.PathLike[str]], progress: Progress
) -> Iterator[str]:
    done = 0
    for path in files:
        for line in read_lines(path, lambda read, done=done: progress.at(done + read)):
            progress.sentences += 1
            yield line
        done += _size(path)
