"""A spell-out tokenizer in plain Python: what the package's is measured against.

The rules are those of `neural_gpu_tf/text/`, character by character, as one would write
them down first. (Python's tables of characters are of another Unicode version than
RE2's: on characters younger than the older of both the two may differ.)
"""

import functools
import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING, Union

from neural_gpu_tf.constants import EOS, SPACE

if TYPE_CHECKING:
    from benchmarks.peers_tokens import PlainVocabulary
    from neural_gpu_tf.text import Vocabulary


@functools.cache
def is_white(character: str) -> bool:
    """Is it white space?"""
    return character in "\t\n\v\f\r\x85" or unicodedata.category(character)[0] == "Z"


@functools.cache
def is_word(character: str) -> bool:
    """Is it a letter, a digit, a combining mark or "_"?"""
    return character == "_" or unicodedata.category(character)[0] in "LNM"


class NaiveTokenizer:
    """`SpellOutTokenizer`, one text after another, for texts that are valid UTF-8.

    Args:
        vocabulary: the symbols.
    """

    def __init__(self, vocabulary: Union["Vocabulary", "PlainVocabulary"]):
        self.first_byte = vocabulary.byte_ids[0]
        characters = zip(vocabulary.characters, vocabulary.character_ids, strict=True)
        pieces = zip(vocabulary.pieces, vocabulary.piece_ids, strict=True)
        self.characters, self.pieces = dict(characters), dict(pieces)
        self.texts = [b"", b"", b"", b" "]
        self.texts += [bytes([byte]) for byte in range(256)]
        self.texts += [text.encode() for text in vocabulary.characters]
        self.texts += [text.encode() for text in vocabulary.pieces]
        self.words = {
            symbol for piece, symbol in self.pieces.items() if is_word(piece[0])
        }

    def tokenize(self, text: str) -> list[int]:
        """The symbols of a text."""
        symbols, after_spelled_word = [], False
        for piece in self._split(text):
            known = self.pieces.get(piece)
            word = is_word(piece[0])
            if known is not None:
                symbols.append(known)
            else:
                if after_spelled_word and word:
                    symbols.append(SPACE)
                for character in piece:
                    symbols += self._spell(character)
            after_spelled_word = known is None and word
        return symbols

    def detokenize(self, symbols: Sequence[int]) -> str:
        """The text of symbols; what follows an EOS is ignored."""
        parts, spelled = [], b""
        for symbol in symbols:
            if symbol == EOS:
                break
            if symbol in self.words:
                parts += [spelled.decode(errors="replace"), self.texts[symbol].decode()]
                spelled = b""
            else:
                spelled += self.texts[symbol]
        parts.append(spelled.decode(errors="replace"))
        text = ""
        for part in filter(None, parts):
            # A word is apart from what is of words on either side.
            if text and is_word(text[-1]) and is_word(part[0]):
                text += " "
            text += part
        return _normalize(text)

    def _split(self, text: str) -> list[str]:
        """Words, and marks with the spaces beside them."""
        text, pieces, i = _normalize(text), [], 0
        while i < len(text):
            j = i
            if is_word(text[i]):
                while j < len(text) and is_word(text[j]):
                    j += 1
            elif text[i] == " " and is_word(text[i + 1]):
                i += 1  # the implied space between two words
                continue
            else:
                j += 2 if text[i] == " " else 1
                if j < len(text) and text[j] == " ":
                    j += 1
            pieces.append(text[i:j])
            i = j
        return pieces

    def _spell(self, character: str) -> list[int]:
        """A space, a character of the vocabulary, or the bytes of any other."""
        if character == " ":
            return [SPACE]
        if character in self.characters:
            return [self.characters[character]]
        return [self.first_byte + byte for byte in character.encode()]


def _normalize(text: str) -> str:
    """Single spaces, none at the ends."""
    spaced = "".join(" " if is_white(character) else character for character in text)
    return " ".join(word for word in spaced.split(" ") if word)
