r"""Spell-out tokenizer: known words as one symbol, others letter by letter."""

from collections.abc import Callable

import numpy as np
import tensorflow as tf
import tensorflow_text

from neural_gpu_tf.constants import EOS, PAD, SPACE
from neural_gpu_tf.text.code_points import CodePointTable
from neural_gpu_tf.text.pieces import (
    Characters,
    Pieces,
    find_pieces,
    previous,
    read_characters,
    select,
    totals_at,
    write_pieces,
    write_texts,
)
from neural_gpu_tf.text.vocabulary import FIRST_BYTE, Vocabulary

_FENCE = "\n"  # Stands on both sides of a word; normalized text has none.
_WIDEST = 4  # bytes of a character
_TEXTS = tf.TensorSpec([None], tf.string)
_SYMBOLS = tf.TensorSpec([None, None], tf.int64)


class SpellOutTokenizer(tensorflow_text.Tokenizer, tensorflow_text.Detokenizer):
    r"""Reversible tokenizer that spells out rare words; it has no unknown symbol.

    As in Kaiser & Bengio, "Can Active Memory Replace Attention?" (NIPS 2016),
    section 3, a word outside the vocabulary is spelled letter by letter. A character
    outside it is spelled in the bytes of its UTF-8. With a vocabulary of "H", "(",
    "z", "i", "Hello", "world" and ", ":

        text     Hello, world (zigi zi)
        pieces   Hello|, |world| (|zigi|zi|)
        symbols  Hello|, |world|SPACE|(|z|i|<0x67>|i|SPACE|z|i|<0x29>

    Pieces are defined in `pieces.py`. A piece of the vocabulary is one symbol; any
    other is spelled, a mark together with the spaces that it has taken. White space
    between two words is implied, unless both are spelled: then SPACE says it. A word
    of one character counts as spelled, whether or not the vocabulary has it.

    Reading symbols, therefore: between two words, and between a word and a spelled
    character of words, on either side, there is a space; between spelled characters,
    and beside marks, there is none but those given. So, for any text and vocabulary,

        detokenize(tokenize(text)) == normalize(text)

    and any symbols at all make valid UTF-8, with U+FFFD for bytes that do not.

    All is in core TensorFlow ops, on the CPU; the one table is a tracked attribute.

    Example:
        >>> characters, words = ["H", "z", "i"], ["Hello", "world"]
        >>> tokenizer = SpellOutTokenizer(Vocabulary(characters, words))
        >>> symbols = tokenizer.tokenize(["Hello, zigi world"])
        >>> tokenizer.detokenize(symbols).numpy().tolist()
        [b'Hello, zigi world']

    Args:
        vocabulary: the symbols.
    """

    def __init__(self, vocabulary: Vocabulary):
        super().__init__(name="spell_out_tokenizer")
        symbols = np.zeros(0x110000, np.int32)  # PAD: not in the vocabulary.
        symbols[[ord(c) for c in vocabulary.characters]] = vocabulary.character_ids
        self._character_symbols = CodePointTable(symbols)
        with tf.init_scope(), tf.device("CPU:0"):
            self._piece_symbols = tf.lookup.StaticHashTable(
                tf.lookup.KeyValueTensorInitializer(
                    # "" is no piece, but a table must not be empty.
                    tf.constant(["", *vocabulary.pieces]),
                    tf.constant([0, *vocabulary.piece_ids], tf.int32),
                ),
                default_value=0,
            )
            self._texts = tf.constant(_texts_of(vocabulary))
        self.vocabulary = vocabulary
        self._symbols_of = _traced_once(self._tokenize, _TEXTS)
        self._text_of = _traced_once(self._detokenize, _SYMBOLS)

    def tokenize(self, strings: tf.Tensor | tf.RaggedTensor) -> tf.RaggedTensor:
        """Turns texts into symbols.

        Args:
            strings: texts of any shape; bytes that are not UTF-8 are read as U+FFFD.

        Returns:
            int32, with one ragged dimension more; neither GO nor EOS is added. The
            symbols of one text alone (a scalar) are a tensor, [length].
        """
        return _map_texts(self._symbols_of, strings)

    def split(self, strings: tf.Tensor | tf.RaggedTensor) -> tf.RaggedTensor:
        """Turns texts into their pieces, strings, whatever the vocabulary.

        Takes and returns shapes as `tokenize` does.
        """
        return _map_texts(_split, strings)

    def normalize(self, strings: tf.Tensor) -> tf.Tensor:
        """Makes texts, string [batch], valid UTF-8 with single spaces, stripped."""
        with tf.device("CPU:0"):
            return write_texts(read_characters(tf.convert_to_tensor(strings)))

    def detokenize(self, symbols: tf.Tensor | tf.RaggedTensor) -> tf.Tensor:
        """Turns symbols into texts.

        Args:
            symbols: integer [batch, n], ragged or dense; or [n], for one text.
                What follows an EOS is ignored, and so are PAD and GO.

        Returns:
            string [batch], normalized: valid UTF-8, single spaces, stripped.

        Raises:
            tf.errors.InvalidArgumentError: a number that is no symbol's.
        """
        with tf.device("CPU:0"):
            if isinstance(symbols, tf.RaggedTensor):
                symbols = symbols.to_tensor()
            symbols = tf.cast(symbols, tf.int64)
            if symbols.shape.rank == 1:
                return self._text_of(symbols[None])[0]
            return self._text_of(symbols)

    def _tokenize(self, texts: tf.Tensor) -> tf.RaggedTensor:
        characters = read_characters(texts)
        pieces = find_pieces(characters)
        # One number for each character: its piece's symbol; 0 where it is spelled.
        of_piece = self._piece_symbols.lookup(write_pieces(characters, pieces))
        symbol = tf.gather(of_piece, tf.cumsum(tf.cast(pieces.start, tf.int32)) - 1)
        return self._spell(characters, pieces, symbol)

    def _spell(
        self, characters: Characters, pieces: Pieces, symbol: tf.Tensor
    ) -> tf.RaggedTensor:
        """Joins the symbols of pieces with the spelling of all others."""
        code, word, gap, _, splits = characters
        spelled = tf.equal(symbol, 0)
        between = word & gap & previous(word & spelled, False)
        lead = spelled & (pieces.before | between)
        trail = spelled & pieces.after
        # From here on only what has a symbol: pieces and spelled characters.
        heard = pieces.start | spelled
        place = tf.where(heard)[:, 0]
        code, symbol, lead, trail = (
            tf.gather(values, place) for values in (code, symbol, lead, trail)
        )
        symbol = tf.where(tf.equal(symbol, 0), self._character_symbols(code), symbol)
        missing = tf.equal(symbol, 0)
        width, octets = _utf8(code)
        space = tf.fill(tf.shape(code), SPACE)
        columns = [space, tf.where(missing, FIRST_BYTE + octets[0], symbol)]
        wanted = [lead, tf.ones_like(lead)]
        for index in range(1, _WIDEST):
            columns.append(FIRST_BYTE + octets[index])
            wanted.append(missing & (width > index))
        columns.append(space)
        wanted.append(trail)
        lengths = tf.add_n([tf.cast(column, tf.int32) for column in wanted])
        return tf.RaggedTensor.from_row_splits(
            select(columns, wanted),
            totals_at(lengths, totals_at(heard, splits)),
            validate=False,
        )

    def _detokenize(self, symbols: tf.Tensor) -> tf.Tensor:
        ends = tf.cast(tf.equal(symbols, EOS), tf.int32)
        heard = tf.equal(tf.cumsum(ends, axis=1), 0) & tf.not_equal(symbols, PAD)
        place = tf.where(heard)
        texts = tf.gather(self._texts, tf.gather_nd(symbols, place))
        joined = tf.strings.unsorted_segment_join(
            texts, place[:, 0], tf.shape(symbols, tf.int64)[0]
        )
        return write_texts(read_characters(joined, fence=ord(_FENCE)))


def _traced_once(function: Callable, of: tf.TensorSpec) -> Callable:
    """A function as a graph of its own, which all graphs that call it share.

    Not an attribute that is tracked: then each export would hold it twice.
    """
    graph = tf.function(function, input_signature=[of], autograph=False)
    return lambda x: graph(x)


def _texts_of(vocabulary: Vocabulary) -> list[bytes]:
    """What each symbol writes; `_detokenize` reads it with fences."""
    octets = [bytes([byte]) for byte in range(256)]
    octets[ord(_FENCE)] = b" "
    words = [
        piece if " " in piece else f"{_FENCE}{piece}{_FENCE}"
        for piece in vocabulary.pieces
    ]
    characters = [text.encode() for text in [*vocabulary.characters, *words]]
    return [b"", b"", b"", b" ", *octets, *characters]


def _split(texts: tf.Tensor) -> tf.RaggedTensor:
    characters = read_characters(texts)
    pieces = find_pieces(characters)
    return tf.RaggedTensor.from_row_splits(
        write_pieces(characters, pieces),
        totals_at(pieces.start, characters.splits),
        validate=False,
    )


def _utf8(code: tf.Tensor) -> tuple[tf.Tensor, list[tf.Tensor]]:
    """The bytes of characters: how many, and the first to the fourth."""
    shift, mask = tf.bitwise.right_shift, tf.bitwise.bitwise_and
    width = 1 + sum(
        tf.cast(code >= least, tf.int32) for least in (0x80, 0x800, 0x10000)
    )
    tails = [0x80 + mask(shift(code, bits), 0x3F) for bits in (0, 6, 12)]
    head = tf.gather([0, 0, 0xC0, 0xE0, 0xF0], width) + shift(code, 6 * (width - 1))
    # The last byte is tails[0], whichever place it has.
    return width, [
        head,
        tf.where(tf.equal(width, 2), tails[0], tf.where(width < 4, tails[1], tails[2])),
        tf.where(tf.equal(width, 3), tails[0], tails[1]),
        tails[0],
    ]


def _map_texts(
    function: Callable[[tf.Tensor], tf.RaggedTensor],
    strings: tf.Tensor | tf.RaggedTensor,
) -> tf.RaggedTensor:
    """Applies a function of texts [batch] to texts of any shape."""
    with tf.device("CPU:0"):
        if isinstance(strings, tf.RaggedTensor):
            return strings.with_flat_values(function(strings.flat_values))
        strings = tf.convert_to_tensor(strings, tf.string)
        rank = strings.shape.rank
        if rank is None:
            raise ValueError("strings must be of a known rank, not of any")
        if rank == 0:
            return function(strings[None])[0]
        if rank == 1:
            return function(strings)
        ragged = tf.RaggedTensor.from_tensor(strings, ragged_rank=rank - 1)
        return ragged.with_flat_values(function(ragged.flat_values))
