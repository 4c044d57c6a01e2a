"""Oracles of the spell-out tokenizer; random texts and vocabularies for it."""

import functools
import random
import unicodedata

import tensorflow as tf

from neural_gpu_tf.constants import SPACE
from neural_gpu_tf.text import Vocabulary

# ---- The rules again, in plain Python, character by character: the oracle.


@functools.cache
def is_white(character):
    return character in "\t\n\v\f\r\x85" or unicodedata.category(character)[0] == "Z"


@functools.cache
def is_word(character):
    return character == "_" or unicodedata.category(character)[0] in "LNM"


def normalize(text):
    spaced = "".join(" " if is_white(c) else c for c in text)
    return " ".join(word for word in spaced.split(" ") if word)


def split(text):
    text, pieces, i = normalize(text), [], 0
    while i < len(text):
        j = i
        if is_word(text[i]):
            while j < len(text) and is_word(text[j]):
                j += 1
        elif text[i] == " " and is_word(text[i + 1]):
            i += 1  # The implied space between two words.
            continue
        else:
            j += 2 if text[i] == " " else 1
            j += text[j : j + 1] == " "
        pieces.append(text[i:j])
        i = j
    return pieces


@functools.cache
def symbols_of(vocabulary):
    """By piece or character."""
    numbers = dict(zip(vocabulary.characters, vocabulary.character_ids, strict=True))
    return numbers | dict(zip(vocabulary.pieces, vocabulary.piece_ids, strict=True))


def tokenize(text, vocabulary):
    numbers = symbols_of(vocabulary)
    symbols, after_spelled_word = [], False
    for piece in split(text):
        spelled = len(piece) == 1 or piece not in numbers
        if not spelled:
            symbols.append(numbers[piece])
        else:
            if after_spelled_word and is_word(piece[0]):
                symbols.append(SPACE)
            for c in piece:
                if c == " ":
                    symbols.append(SPACE)
                elif c in numbers:
                    symbols.append(numbers[c])
                else:
                    symbols.extend(vocabulary.byte_ids[byte] for byte in c.encode())
        after_spelled_word = spelled and is_word(piece[0])
    return symbols


# ---- The rules a third time, as regular expressions of RE2.

WORD, WHITE = r"[\p{L}\p{N}\p{M}_]", r"[\s\v\x{0085}\p{Z}]"


def replace(strings, *pairs):
    for pattern, rewrite in pairs:
        strings = tf.strings.regex_replace(strings, pattern, rewrite)
    return strings


def normalize_with_re2(strings):
    strings = tf.strings.unicode_transcode(strings, "UTF-8", "UTF-8", errors="replace")
    return tf.strings.strip(replace(strings, (WHITE + "+", " ")))


def split_with_re2(strings):
    piece = rf"{WORD}+| ?[^\s\p{{L}}\p{{N}}\p{{M}}_] ?| "
    cut = replace(normalize_with_re2(strings), (piece, "\\0\n"))
    return [
        [piece for piece in pieces if piece not in (b"", b" ")]
        for pieces in tf.strings.split(cut, "\n").to_list()
    ]


def detokenize_with_re2(rows, vocabulary):
    octets = [b" " if byte in b"\n\r" else bytes([byte]) for byte in range(256)]
    texts = [b"", b"", b"", b" ", *octets, *(c.encode() for c in vocabulary.characters)]
    for piece in vocabulary.pieces:
        texts.append((piece if " " in piece else f"\n{piece}\r").encode())
    joined = [b"".join(texts[s] for s in row) for row in rows]
    joined = tf.strings.unicode_transcode(joined, "UTF-8", "UTF-8", errors="replace")
    joined = replace(
        joined,
        ("\r\n", " "),
        (f"\r({WORD})", r" \1"),
        (f"({WORD})\n", r"\1 "),
        ("[\r\n]", ""),
    )
    return normalize_with_re2(joined).numpy().tolist()


# ---- Texts. All characters are old (Unicode 3.2, or named here), so that RE2's and
# Python's tables agree on them.

NAMED = (
    "abcxyzABC012_.,;:!?-()'\"éßøñαβжשمहन你好ที한"
    "\0\x01\x1b\x1c\x1f\x7f\xad\u0301\u0903\u200b\u200d\u200f\u2028\ufe0f\ufeff\ufffd"
    "\uffff\ufdd0\U0010ffff\U0001f600\U0001f3fd\U0001d400\U00020000Ⅷ²‿\u2581\u180e"
)
WHITES = "\t\n\v\f\r \x85\xa0\u1680\u2003\u2028\u2029\u202f\u3000"


@functools.cache
def old_characters():
    known = unicodedata.ucd_3_2_0.category
    return [c for c in map(chr, range(0x110000)) if known(c) not in ("Cn", "Cs")]


def random_texts(count, seed):
    chance = random.Random(seed)
    texts = ["", " ", "a", ".", " . ", "a\0", "\0"]
    while len(texts) < count:
        text = ""
        for _ in range(chance.randrange(12)):
            kind = chance.random()
            if kind < 0.35:
                text += " "
            elif kind < 0.45:
                text += chance.choice(WHITES)
            elif kind < 0.7:
                text += "".join(chance.choices("abcé", k=chance.randrange(1, 4)))
            elif kind < 0.95:
                text += chance.choice(NAMED)
            else:
                text += chance.choice(old_characters())
        texts.append(text)
    return texts


@functools.cache
def vocabulary(name):
    pieces = sorted({piece for text in random_texts(1_000, 1) for piece in split(text)})
    pieces = [piece for piece in pieces if "\u2581" not in piece]
    single = [piece for piece in pieces if len(piece) == 1]
    longer = [piece for piece in pieces if len(piece) > 1]
    return {
        "empty": Vocabulary(),
        "tiny": Vocabulary("a.", ["ab", ". ", "é\u0301"]),
        "half": Vocabulary(single[::2], longer[::2]),
        "pieces": Vocabulary([], longer),
        "characters": Vocabulary(single),
        "all": Vocabulary(single, longer),
    }[name]
