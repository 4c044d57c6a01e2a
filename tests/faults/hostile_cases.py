"""Requests that are meant to harm a server, byte by byte, and what they may be told."""

import json
import random
import struct
from collections.abc import Callable, Iterator
from typing import NamedTuple

MODEL = "/v1/models/translate"
PREDICT = f"{MODEL}:predict"
CLOSED = 0  # as a status: the connection ends without one
SLOW = 0.2  # seconds between the parts of a slow request


class Case(NamedTuple):
    """A request."""

    parts: list[bytes]  # sent one after the other
    statuses: set[int]  # of the answers that are right
    pause: float = 0.0  # seconds between the parts
    end: str = "read"  # the answer; or "drop" the connection, or leave it "unread"


def post(body: bytes, path: str = PREDICT, head: str = "") -> bytes:
    """A whole request; `head` stands in place of the length of its body."""
    head = head or f"Content-Length: {len(body)}\r\n"
    return (
        f"POST {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        f"Content-Type: application/json\r\n{head}\r\n"
    ).encode() + body


def refused(content: object, path: str = PREDICT, status: int = 400) -> Case:
    """A request with JSON, or with bytes, that gets this status."""
    body = content if isinstance(content, bytes) else json.dumps(content).encode()
    return Case([post(body, path)], {status})


def bad_json(rng: random.Random) -> Case:
    body = bytearray(b'{"instances": [{"text": "two"}, {"text": "six five"}]}')
    if rng.random() < 0.5:
        return refused(bytes(body[: rng.randrange(len(body))]))
    for _ in range(rng.randint(1, 5)):
        body[rng.randrange(len(body))] = rng.randrange(256)
    return Case([post(bytes(body))], {200, 400})


def not_utf8(rng: random.Random) -> Case:
    bad = rng.choice([b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xf5\x80\x80\x80"])
    return refused(b'{"instances": ["' + bad + b'"]}')


def deep(rng: random.Random) -> Case:
    depth = rng.choice([40, 70, 200, 450, 700, 990, 5_000, 90_000])
    name, text = rng.choice([("instances", b'"a"'), ("inputs", b"1"), ("inputs", b"")])
    left, right = rng.choice([(b"[", b"]"), (b'{"text": ', b"}"), (b'{"b64":', b"}")])
    value = depth * left + (text or b'"a"') + depth * right
    return refused(b'{"%s": [%s]}' % (name.encode(), value))


def wrong_numbers(rng: random.Random) -> Case:
    number = rng.choice(
        ["NaN", "Infinity", "-Infinity", "1e999", "1.5", "-1", "2147483648", "true"]
        + ['"5"', "null", "{}", "1e400", "9" * 5_000, "9" * 400, '{"b64": "NQ=="}']
    )
    body = f'{{"signature_name": "detokenize", "instances": [[{number}]]}}'
    return refused(body.encode())


def wrong_types(rng: random.Random) -> Case:
    value = rng.choice([1, 1.5, None, True, {}, [], ["a"], {"b64": 1}, {"b64": "%"}])
    many = rng.choice([[value], ["a", value], {"text": "a"}, "a", {"a": ["b"]}, 5])
    return refused({"instances": many})


def wrong_shapes(rng: random.Random) -> Case:
    value = rng.choice(
        [
            {"inputs": "a"},
            {"inputs": [["a"]]},
            {"inputs": [["a"], ["a", "b"]]},
            {"inputs": {"text": [[], ["a"]]}},
            {"inputs": {"source": ["a"], "target": ["a", "b"]}},
            {"inputs": {"symbols": [[1], [1, 2]]}, "signature_name": "detokenize"},
            {"inputs": {"symbols": []}, "signature_name": "detokenize"},
            {"inputs": {"symbols": [[[1]]]}, "signature_name": "detokenize"},
            {"inputs": {"source": ["a"], "target": []}, "signature_name": "score"},
        ]
    )
    return refused(value)


def wrong_signature(rng: random.Random) -> Case:
    name = rng.choice([" ", "x", 5, None, [], {}, "ser\x00", "x" * 100_000, "\u202e"])
    return refused({"signature_name": name, "instances": ["a"]})


def wrong_place(rng: random.Random) -> Case:
    number = rng.choice(["0", "99", "9" * 30, "9" * 5_000])
    path = rng.choice(
        [
            f"{MODEL}/versions/{number}:predict",
            f"{MODEL}/versions/-1:predict",
            f"{MODEL}/versions/%00:predict",
            "/v1/models/other:predict",
            "/v1/models/%2e%2e%2f:predict",
            "/" + "a" * 9_000,
        ]
    )
    return refused({"instances": ["a"]}, path, 404)


def wrong_method(rng: random.Random) -> Case:
    method, path = rng.choice(
        [("GET", PREDICT), ("DELETE", MODEL), ("PUT", PREDICT), ("POST", "/")]
    )
    return Case([post(b"", path).replace(b"POST", method.encode(), 1)], {405})


def huge(rng: random.Random) -> Case:
    """More than the server reads; it may end the connection before all is sent."""
    size = rng.choice([1_000_001, 1_500_000, 5_000_000])
    body = b'{"instances": ["' + b"a" * size + b'"]}'
    return Case([post(body)], {413, CLOSED})


def huge_claim(rng: random.Random) -> Case:
    """Told by its head alone."""
    claim = rng.choice([10**7, 10**12, 10**18])
    return Case([post(b"", head=f"Content-Length: {claim}\r\n")], {413})


def many(rng: random.Random) -> Case:
    return refused({"instances": ["a"] * rng.choice([257, 3_000, 100_000])})


def bad_chunks(rng: random.Random) -> Case:
    bad = rng.choice([b"zz\r\n", b"-5\r\nabc", b"5\r\nab\r\n0\r\n\r\n", b"\x00" * 50])
    head = "Transfer-Encoding: chunked\r\n"
    return Case([post(bad, head=head)], {400, 408, CLOSED})


def bad_head(rng: random.Random) -> Case:
    head = rng.choice(
        [
            "Content-Length: -1\r\n",
            "Content-Length: two\r\n",
            "Content-Length: " + "9" * 5_000 + "\r\n",
            "Content-Length: 5\r\nContent-Length: 6\r\n",
            "Transfer-Encoding: gzip\r\n",
            "a: " + "b" * 200_000 + "\r\n",
            "Bad Name: x\r\n",
            "x: \x00\r\n",
        ]
    )
    return Case([post(b"{}", head=head)], {400, 501, CLOSED})


def garbage(rng: random.Random) -> Case:
    data = rng.choice(
        [
            rng.randbytes(rng.randint(1, 2_000)) + b"\r\n\r\n",
            b"\x16\x03\x01" + struct.pack(">H", 512) + rng.randbytes(512),  # TLS
            b"PRI * HTTP/2\r\n\r\nSM\r\n\r\n",
            b"GET / HTTP/x.9\r\n\r\n",
            b"\r\n" * 5_000 + b"x",
            b"GET " + b"a" * 200_000,
        ]
    )
    return Case([data], {400, CLOSED}, end="drop" if rng.random() < 0.3 else "read")


def dropped(rng: random.Random) -> Case:
    """The connection is reset somewhere in the request, or before its answer."""
    data = post(b'{"instances": ["two six", "five"]}')
    cut = rng.choice([len(data), rng.randrange(len(data))])
    return Case([data[:cut]], {CLOSED}, end="drop")


def slow_head(rng: random.Random) -> Case:
    parts = [b"GET / HTTP/1.1\r\n", *(b"a: b\r\n" for _ in range(10_000))]
    return Case(parts, {400, 408, CLOSED}, SLOW)


def nothing(rng: random.Random) -> Case:
    return Case([b""] * 10_000, {400, 408, CLOSED}, SLOW)


def slow_body(rng: random.Random) -> Case:
    head = post(b"", head="Content-Length: 900000\r\n")
    return Case([head, *(b" " for _ in range(10_000))], {408}, SLOW)


def unread(rng: random.Random) -> Case:
    """Answers that nobody reads, asked for again and again."""
    page = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
    return Case([100 * page], {CLOSED}, end="unread")


QUICK: dict[str, Callable[[random.Random], Case]] = {
    kind.__name__: kind
    for kind in (
        *(bad_json, not_utf8, deep, wrong_numbers, wrong_types, wrong_shapes),
        *(wrong_signature, wrong_place, wrong_method, huge, huge_claim, many),
        *(bad_chunks, bad_head, garbage, dropped),
    )
}
LASTING: dict[str, Callable[[random.Random], Case]] = {
    kind.__name__: kind for kind in (slow_head, nothing, slow_body, unread)
}


def cases(
    kinds: dict[str, Callable[[random.Random], Case]], count: int, seed: int
) -> Iterator[tuple[str, Case]]:
    """So many, of all kinds in turn."""
    rng, names = random.Random(seed), list(kinds)
    for i in range(count):
        name = names[i % len(names)]
        yield name, kinds[name](rng)
