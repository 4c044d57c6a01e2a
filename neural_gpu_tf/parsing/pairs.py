"""Trees as pairs of lines, a source and a target, and back."""

import itertools
import os
from collections.abc import Iterable, Iterator, Sequence

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.parsing.linearize import delinearize, linearize
from neural_gpu_tf.parsing.spelling import (
    read_symbols,
    read_words,
    spell_symbols,
    spell_words,
)
from neural_gpu_tf.parsing.tree import Tree


def to_pair(tree: Tree) -> tuple[str, str]:
    """The source and target line of a tree that `clean` has cleaned.

        (S (NP (PRP He)) (VP (VBZ runs)) (. .))

    becomes

        He runs _2e
        open__S open__NP tag__PRP close__NP open__VP tag__VBZ close__VP tag___2e …

    Lines of text, one symbol a piece (see `spelling`): what the translation models
    train on, with nothing of their own for parsing.
    """
    return spell_words(tree.words()), spell_symbols(linearize(tree))


def from_pairs(
    sources: Iterable[str], targets: Iterable[str], name: str
) -> Iterator[Tree]:
    """The trees of such lines.

    A target line that is empty says that there is no parse: the tree ().

    Args:
        sources: source lines.
        targets: as many target lines.
        name: of the target's file, for messages.

    Raises:
        InputError: a line that is no tree over its words (the message names it), or
            there are more lines of the one than of the other.
    """
    lines = itertools.zip_longest(sources, targets)
    for number, (source, target) in enumerate(lines, 1):
        where = f"{name}:{number}"
        if source is None or target is None:
            raise InputError(
                f"{where}: this line or its source is missing; give as many lines of "
                "words as of trees"
            )
        words, symbols = read_words(source, where), read_symbols(target, where)
        yield delinearize(symbols, words, where) if symbols else Tree("")


def is_tree(target: str, words: Sequence[str]) -> bool:
    """Whether a target line is a tree over these words; over none, the empty one."""
    try:
        symbols = read_symbols(target, "")
        if symbols or words:
            delinearize(symbols, words, "")
    except InputError:
        return False
    return True


def write_lines(path: str | os.PathLike[str], lines: Iterable[str]) -> None:
    """Writes lines; raises InputError where that can't be done."""
    try:
        with open(path, "w", encoding="utf-8", newline="\n") as file:
            file.writelines(f"{line}\n" for line in lines)
    except OSError as error:
        raise InputError(
            f"{path}: can't write it: {error.strerror}; name another file"
        ) from error
