"""Texts that a translator may stumble over, as bytes: valid UTF-8 and other."""

import random
import unicodedata
from collections.abc import Callable, Iterator

import oracles_text

MEGABYTE = 1_000_000
LIMIT = 16_384  # bytes of a text that an export reads, by default
ZWJ = "\u200d"
CONTROLS = "".join(map(chr, [*range(32), *range(127, 160)]))
DIRECTIONS = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
RIGHT_TO_LEFT = "אבגדשלום\u05b0\u05bcالعربية٠١٢\u064b\u0651\u0640ﷺ"
EMOJI = "👩🏽‍💻👨‍👩‍👧‍👦🏳️‍🌈👍🏿🇫🇷🇪🇺1️⃣❤️☠️🧑‍🚀"
INVISIBLE = (
    "\u00ad\u034f\u115f\u180e\u200b\u200c\u200d\u2060\ufeff\ufff9\ufffb\U000e0041"
)
MARKS = "".join(c for c in map(chr, range(0x300, 0x370)) if unicodedata.combining(c))
WORDS = ["two", "six", "five", "thousand", ", ", "a", "no", "<pad>", "<0x67>", "▁"]
BAD = [
    *(b"\xc0\x80", b"\xc1\xbf", b"\xe0\x80\xaf", b"\xe0\x9f\xbf", b"\xf0\x80\x80\xaf"),
    *(
        b"\xf0\x8f\xbf\xbf",
        b"\xed\xa0\x80",
        b"\xed\xbf\xbf",
        b"\xed\xa0\x80\xed\xb0\x80",
    ),
    *(b"\xf4\x90\x80\x80", b"\xf5\x80\x80\x80", b"\xf8\x88\x80\x80\x80", b"\xfe"),
    *(b"\xff", b"\x80", b"\xbf", b"\xc3", b"\xe2\x82", b"\xf0\x9f\x98", b"\xff\xfe"),
]


def _some(rng: random.Random, letters: str, most: int = 12) -> str:
    return "".join(rng.choices(letters, k=rng.randint(1, most)))


def words(rng: random.Random) -> str:
    gaps = rng.choices([" ", "", "  ", *oracles_text.WHITES], k=9)
    return "".join(rng.choice(WORDS) + gap for gap in gaps[: rng.randint(1, 9)])


def controls(rng: random.Random) -> str:
    return _some(rng, CONTROLS) + rng.choice(WORDS) + _some(rng, CONTROLS)


def nulls(rng: random.Random) -> str:
    return _some(rng, "\0\0a ", 20)


def right_to_left(rng: random.Random) -> str:
    return _some(rng, RIGHT_TO_LEFT + DIRECTIONS + " a1.", 20)


def combining(rng: random.Random) -> str:
    return rng.choice(["a", "", " ", "e"]) + _some(rng, MARKS, 40)


def emoji(rng: random.Random) -> str:
    return _some(rng, EMOJI + ZWJ + " ", 20)


def invisible(rng: random.Random) -> str:
    return _some(rng, INVISIBLE + " a", 15)


def any_characters(rng: random.Random) -> str:
    return "".join(rng.choices(oracles_text.old_characters(), k=rng.randint(0, 15)))


def white(rng: random.Random) -> str:
    return _some(rng, oracles_text.WHITES, 30)


def empty(rng: random.Random) -> str:
    return ""


def near_the_limit(rng: random.Random) -> str:
    """Cut off, or not quite, in the middle of a character."""
    letter = rng.choice(["a", "é", "漢", "😀", " ", "\u0301", "."])
    count = LIMIT // len(letter.encode())
    return "a" * rng.randint(0, 4) + letter * (count + rng.randint(-3, 3))


def bad_bytes(rng: random.Random) -> bytes:
    return b"".join(rng.choices([*BAD, b"a", b" ", "é".encode()], k=rng.randint(1, 9)))


def random_bytes(rng: random.Random) -> bytes:
    return rng.randbytes(rng.randint(0, 40))


def damaged(rng: random.Random) -> bytes:
    """Valid UTF-8 with some of its bytes changed, left out or cut off."""
    data = bytearray(rng.choice([right_to_left, emoji, any_characters])(rng).encode())
    for _ in range(rng.randint(1, 3)):
        if data:
            at = rng.randrange(len(data))
            data[at : at + 1] = rng.choice(
                [b"", rng.randbytes(1), b"\xc0", b"\xff\xff"]
            )
    return bytes(data)


def huge(rng: random.Random) -> bytes:
    """A megabyte, most of it of one kind, without a space."""
    unit = rng.choice([b"a", b"\xff", b"\0", b"\xcc\x81", "漢".encode(), b".", b"\xf0"])
    return (MEGABYTE // len(unit)) * unit + rng.choice([b"", b" two", b"\xe2"])


KINDS: list[Callable[[random.Random], str | bytes]] = [
    *(words, controls, nulls, right_to_left, combining, emoji, invisible),
    *(any_characters, white, empty, bad_bytes, random_bytes, damaged),
]
RARE = [near_the_limit, huge]
RARITY = 500  # one in so many is of `RARE`; they take long


def texts(count: int, seed: int) -> Iterator[bytes]:
    """So many, of all kinds in turn."""
    rng = random.Random(seed)
    for i in range(count):
        kinds = RARE if i % RARITY == RARITY - 1 else KINDS
        text = kinds[i // RARITY % 2 if kinds is RARE else i % len(kinds)](rng)
        yield text if isinstance(text, bytes) else text.encode()
