"""Counts the pieces and characters of text."""

import collections
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
import tensorflow as tf

from neural_gpu_tf.progress_bar import progress_bar
from neural_gpu_tf.text.pieces import find_pieces, read_characters, write_pieces

_BATCH_SENTENCES = 4_096
_BATCH_LENGTH = 1 << 20  # bytes or characters


class Counts(NamedTuple):
    """How often each symbol that a vocabulary may have occurs."""

    characters: collections.Counter[str]
    pieces: collections.Counter[str]  # Those of two characters or more.


def count_pieces(
    sentences: Iterable[str | bytes], most_entries: int = 5_000_000
) -> Counts:
    """Counts in one pass, splitting with the graph that the tokenizer splits with.

    Memory is bounded: when more than `most_entries` different pieces are at hand
    (about 1 GB), those whose count is not above the median are forgotten, though
    their characters still count. A piece that comes back starts from zero, so only
    counts of rare pieces can come out too low.

    Args:
        sentences: texts, taken one after the other; bytes are read as UTF-8.
        most_entries: the most different pieces to keep.

    Returns:
        The counts.
    """
    table: collections.Counter[bytes] = collections.Counter()
    characters: collections.Counter[str] = collections.Counter()
    for batch in progress_bar(_batches(sentences), what="counting", unit=" batches"):
        table.update(_split(tf.constant(batch)).numpy().tolist())
        if len(table) > most_entries:
            median = np.median(np.fromiter(table.values(), np.int64))
            rare = [piece for piece, count in table.items() if count <= median]
            for piece in rare:
                _count_characters(piece.decode(), table.pop(piece), characters)
    pieces: collections.Counter[str] = collections.Counter()
    for piece, count in table.items():
        text = piece.decode()
        _count_characters(text, count, characters)
        if len(text) > 1:
            pieces[text] = count
    return Counts(characters, pieces)


@tf.function(input_signature=[tf.TensorSpec([None], tf.string)], autograph=False)
def _split(texts: tf.Tensor) -> tf.Tensor:
    characters = read_characters(texts)
    return write_pieces(characters, find_pieces(characters))


def _batches(sentences: Iterable[str | bytes]) -> Iterator[list[str | bytes]]:
    batch, length = [], 0
    for sentence in sentences:
        batch.append(sentence)
        length += len(sentence)
        if len(batch) == _BATCH_SENTENCES or length > _BATCH_LENGTH:
            yield batch
            batch, length = [], 0
    if batch:
        yield batch


def _count_characters(
    piece: str, count: int, characters: collections.Counter[str]
) -> None:
    for character in piece:
        if character != " ":
            characters[character] += count
