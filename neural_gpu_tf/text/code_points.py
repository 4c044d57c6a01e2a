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

_NEITHER = rf"[^{WORD_CLASS[1:-1]}{WHITE_CLASS[1:-1]}]"

_LIMIT = 0x110000  # code points
_SURROGATES = range(0xD8, 0xE0)  # pages of no characters
_PAGE = 256  # code points


@functools.cache
def code_point_kinds() -> "CodePointTable":
    """The kind of every code point.

    Pages of one kind, most of them, are asked for as a whole.
    """
    kinds = np.full(_LIMIT, MARK, np.int32)
    pages = np.setdiff1d(np.arange(_LIMIT // _PAGE), _SURROGATES)
    codes = (pages[:, None] * _PAGE + np.arange(_PAGE)).astype(np.int32)
    with tf.init_scope(), tf.device("CPU:0"):
        word = _are(WORD_CLASS, codes)
        kinds[codes[word]] = WORD
        mixed = codes[~word & ~_are(_NEITHER, codes)].reshape(-1, 1)
        kinds[mixed[_are(WORD_CLASS, mixed)]] = WORD
        kinds[mixed[_are(WHITE_CLASS, mixed)]] = WHITE
    return CodePointTable(kinds)


def _are(characters: str, codes: np.ndarray) -> np.ndarray:
    """Whether all code points of each row are of a class of characters: bool [rows]."""
    texts = tf.strings.unicode_encode(codes, "UTF-8")
    return tf.strings.regex_full_match(texts, f"{characters}*").numpy()


class CodePointTable:
    """A map from code points to small integers, in pages, equal pages stored once.

    Args:
        values: int32 [0x110000], the value of each code point.
    """

    def __init__(self, values: np.ndarray):
        places: dict[bytes, int] = {}  # by a page's content
        place_of_page = np.array(
            [
                places.setdefault(page.tobytes(), len(places))
                for page in values.reshape(-1, _PAGE)
            ]
        )
        self._values = np.frombuffer(b"".join(places), values.dtype)
        # Added to a code point, gives its place in _values.
        shifts = (place_of_page - np.arange(_LIMIT // _PAGE)) * _PAGE
        self._shifts = shifts.astype(np.int32)

    def __call__(self, codes: tf.Tensor) -> tf.Tensor:
        """Looks up code points, int32 [n], and returns their values, int32 [n]."""
        shift = tf.gather(self._shifts, tf.bitwise.right_shift(codes, 8))
        return tf.gather(self._values, codes + shift)
