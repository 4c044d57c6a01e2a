r"""Splitting of text into characters and pieces, as flat tensors.

*Normalized* text is valid UTF-8 in which every run of white space is one space, with
none at either end. It falls into *pieces*: a word is a maximal run of letters,
digits, combining marks and "_"; every other character is a mark, which takes the
space before it, unless the mark before has it, and the space after it:

    "Hello, world (a)"  ->  "Hello" ", " "world" " (" "a" ")"

The one space that is left, between two words, is implied.

All characters of a batch lie in one flat tensor without white space; `gap` says
where white space was. So each rule is a line of Boolean algebra on neighbours, as
fast as regular expressions, and spelling goes on in the same tensors. Every op is a
core op.
"""

from typing import NamedTuple

import numpy as np
import tensorflow as tf

from neural_gpu_tf.text.code_points import WHITE, WORD, code_point_kinds


class Characters(NamedTuple):
    """The characters, other than white space, of a batch of texts."""

    code: tf.Tensor  # int32 [n], code points
    word: tf.Tensor  # bool [n], is it a character of words?
    gap: tf.Tensor  # bool [n], is there white space before it, in its text?
    first: tf.Tensor  # bool [n], is it its text's first?
    splits: tf.Tensor  # int64 [batch + 1], text b is splits[b]:splits[b + 1]


class Pieces(NamedTuple):
    """Boundaries of the pieces among the characters."""

    start: tf.Tensor  # bool [n], does a piece start here?
    before: tf.Tensor  # bool [n], a mark that has the space before it
    after: tf.Tensor  # bool [n], a mark that has the space after it


def read_characters(texts: tf.Tensor, fence: int | None = None) -> Characters:
    """Decodes texts.

    Args:
        texts: string [batch]; bytes that are not UTF-8 are read as U+FFFD.
        fence: a white space character that is not to be read as such, but only
            keeps words apart: it is a gap between two word characters, and nothing
            elsewhere.

    Returns:
        The characters that are not white space.
    """
    decoded = tf.raw_ops.UnicodeDecode(
        input=texts, input_encoding="UTF-8", errors="replace", Tsplits=tf.int64
    )
    kind = code_point_kinds()(decoded.char_values)
    black = tf.not_equal(kind, WHITE)
    place = tf.where(black)[:, 0]
    code = tf.gather(decoded.char_values, place)
    word = tf.equal(tf.gather(kind, place), WORD)
    splits = totals_at(black, decoded.row_splits)
    first = _at(splits[:-1], tf.size(code, tf.int64))
    apart = place > previous(place, -1) + 1
    if fence is None:
        gap = apart
    else:
        white = ~black & tf.not_equal(decoded.char_values, fence)
        whites = tf.gather(tf.cumsum(tf.cast(white, tf.int32)), place)
        gap = (whites > previous(whites, 0)) | (apart & word & previous(word, False))
    return Characters(code, word, gap & ~first, first, splits)


def find_pieces(characters: Characters) -> Pieces:
    """Applies the rules of pieces."""
    _, word, gap, first, _ = characters
    after_word = previous(word, False)
    return Pieces(
        start=first | gap | ~word | ~after_word,
        before=~word & gap & after_word,
        after=~word & following(gap, False),
    )


def write_texts(characters: Characters) -> tf.Tensor:
    """The normalized texts: string [batch]."""
    return _encode(
        characters.code,
        characters.gap,
        tf.zeros_like(characters.gap),
        characters.splits,
    )


def write_pieces(characters: Characters, pieces: Pieces) -> tf.Tensor:
    """The pieces of all texts, one after the other: string [pieces]."""
    splits = tf.where(tf.concat([pieces.start, [True]], 0))[:, 0]
    return _encode(characters.code, pieces.before, pieces.after, splits)


def totals_at(counts: tf.Tensor, splits: tf.Tensor) -> tf.Tensor:
    """How much of `counts`, bool or integer [n], lies before each of `splits`."""
    totals = tf.cumsum(tf.cast(counts, tf.int32))
    return tf.cast(tf.gather(tf.concat([[0], totals], 0), splits), tf.int64)


def previous(values: tf.Tensor, start: int | bool) -> tf.Tensor:
    """Each one's left neighbour; the first's is `start`."""
    return tf.concat([tf.constant([start], values.dtype), values[:-1]], 0)


def following(values: tf.Tensor, end: int | bool) -> tf.Tensor:
    """Each one's right neighbour; the last's is `end`."""
    return tf.concat([values[1:], tf.constant([end], values.dtype)], 0)


def select(columns: list[tf.Tensor], wanted: list[tf.Tensor]) -> tf.Tensor:
    """Reads the columns, each [n], row by row, and keeps the values wanted."""
    return tf.boolean_mask(tf.stack(columns, 1), tf.stack(wanted, 1))


def _at(places: tf.Tensor, size: tf.Tensor) -> tf.Tensor:
    """bool [size], true at `places`, which may repeat and may be `size`."""
    ones = tf.ones_like(places, tf.int32)
    return tf.scatter_nd(places[:, None], ones, [size + 1])[:-1] > 0


def _encode(
    code: tf.Tensor, before: tf.Tensor, after: tf.Tensor, splits: tf.Tensor
) -> tf.Tensor:
    space = tf.fill(tf.shape(code), np.int32(ord(" ")))
    lengths = 1 + tf.cast(before, tf.int32) + tf.cast(after, tf.int32)
    return tf.raw_ops.UnicodeEncode(
        input_values=select(
            [space, code, space], [before, tf.ones_like(before), after]
        ),
        input_splits=totals_at(lengths, splits),
        output_encoding="UTF-8",
    )
