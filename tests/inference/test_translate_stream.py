import io
import logging

import pytest
import tensorflow as tf

from neural_gpu_tf.inference import translate_stream


class Shouting:
    """Takes at most 5 bytes of a text, and answers in valid UTF-8 as the real one."""

    def __init__(self):
        self.calls = 0

    def translate(self, text):
        self.calls += 1
        size = tf.strings.length(text)
        text = tf.strings.substr(tf.strings.upper(text), 0, 5)
        return {
            "text": tf.strings.unicode_transcode(text, "UTF-8", "UTF-8"),
            "log_probability": tf.cast(size, tf.float32),
            "size": size,
        }

    def too_long(self, text):
        return tf.strings.length(text) > 5


class Typed:
    """Input that comes in pieces; what was answered before each is noted."""

    def __init__(self, pieces, output):
        self.pieces = list(pieces)
        self.output = output
        self.seen = []

    def read1(self, size):
        self.seen.append(self.output.getvalue())
        return self.pieces.pop(0) if self.pieces else b""


def stream(text, **options):
    output = io.BytesIO()
    translate_stream(Shouting(), io.BytesIO(text), output, **options)
    return output.getvalue()


@pytest.mark.parametrize(
    "text, answer",
    [
        (b"", b""),
        (b"\n", b"\n"),
        (b"a\n\nccc\nbb\n", b"A\n\nCCC\nBB\n"),
        (b"a\r\nb", b"A\nB\n"),
        (b"\x0bb\xe2\x80\xa8\n", b"\x0bB\xe2\x80\xa8\n"),  # only \n ends a line
    ],
)
def test_as_many_lines_in_order(text, answer):
    assert stream(text) == answer


def test_a_byte_order_mark_is_passed_over():
    """At the start alone, and not where a part of a file begins."""
    mark = "\ufeff".encode()
    assert stream(mark + b"a\n" + mark + b"b\n") == b"A\n" + mark + b"B\n"
    assert stream(mark + b"a\n", at_start=False) == mark + b"A\n"
    assert stream(mark) == b"\n"
    output = io.BytesIO()
    translate_stream(Shouting(), Typed([b"a\n", mark + b"b\n"], output), output)
    assert output.getvalue() == b"A\n" + mark + b"B\n"


def test_a_long_line_comes_in_many_blocks():
    long = b"a" * 200_000
    output = io.BytesIO()
    seen = []
    translate_stream(
        *(Shouting(), io.BytesIO(long + b"b\n" + long), output),
        each=lambda number, line, _: seen.append((number, len(line), line[-1:])),
    )
    assert seen == [(1, 200_001, b"b"), (2, 200_000, b"a")]


def test_lines_are_answered_as_they_come():
    output = io.BytesIO()
    source = Typed([b"a\nb", b"b\nc\n", b"d"], output)
    translate_stream(Shouting(), source, output)
    assert source.seen == [b"", b"A\n", b"A\nBB\nC\n", b"A\nBB\nC\n"]
    assert output.getvalue() == b"A\nBB\nC\nD\n"


def test_a_large_input_takes_few_calls():
    translator = Shouting()
    output = io.BytesIO()
    translate_stream(translator, io.BytesIO(b"abc\n" * 1280), output)
    assert output.getvalue() == b"ABC\n" * 1280
    assert translator.calls == 10


def test_a_warning_counts_the_lines(caplog):
    output = io.BytesIO()
    source = Typed(
        [b"good\n", b"too long\nb\xe9d\nfine\n", b"\ntoo long too\n" * 17], output
    )
    with caplog.at_level(logging.WARNING):
        translate_stream(Shouting(), source, output, name="here")
    assert [message.split(";")[0] for message in caplog.messages] == [
        "here:3: not UTF-8",
        "here:2 and 17 more lines: longer than --max_source_length symbols",
    ]
    assert output.getvalue().splitlines()[1] == b"TOO L"
