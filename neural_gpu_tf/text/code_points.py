r"""Tables of RE2's word characters and white space.

RE2 (`tf.strings.regex_*`) decides, never Python, whose tables are of another
Unicode version. It is asked once a process; the answers travel in every graph as a
table, so that a server built with another RE2 splits text as training did.
"""

import functools

import numpy as np
import tensorflow as tf

MARK, WORD, WHITE = 0, 1, 2
"""The kinds of characters: neither of the others; of words; white space."""

WORD_CLASS = r"[\p{L}\p{N}\p{M}_]"
WHITE_CLASS = r"[\s\v\x{0085}\p{Z}]"

_LIMIT = 0x110000  # code points
_SURROGATES = slice(0xD800, 0xE000)
_PAGE = 256  # code points


@functools.cache
def code_point_kinds() -> "CodePointTable":
    """The kind of every code point."""
    valid = np.ones(_LIMIT, bool)
    valid[_SURROGATES] = False
    with tf.init_scope(), tf.device("CPU:0"):
        codes = np.flatnonzero(valid).astype(np.int32)
        characters = tf.strings.unicode_encode(codes[:, None], "UTF-8")
        word = tf.strings.regex_full_match(characters, WORD_CLASS).numpy()
        white = tf.strings.regex_full_match(characters, WHITE_CLASS).numpy()
    kinds = np.full(_LIMIT, MARK, np.int32)
    kinds[valid] = np.select([word, white], [WORD, WHITE], MARK)
    return CodePointTable(kinds)


class CodePointTable:
    """A map from code points to small integers, in pages, equal pages stored once.

    Args:
        values: int32 [0x110000], the value of each code point.
    """

    def __init__(self, values: np.ndarray):
        pages, page_of_block = np.unique(
            values.reshape(-1, _PAGE), axis=0, return_inverse=True
        )
        self._values = pages.reshape(-1)
        # Added to a code point, gives its place in _values.
        shifts = (page_of_block.reshape(-1) - np.arange(_LIMIT // _PAGE)) * _PAGE
        self._shifts = shifts.astype(np.int32)

    def __call__(self, codes: tf.Tensor) -> tf.Tensor:
        """Looks up code points, int32 [n], and returns their values, int32 [n]."""
        shift = tf.gather(self._shifts, tf.bitwise.right_shift(codes, 8))
        return tf.gather(self._values, codes + shift)
