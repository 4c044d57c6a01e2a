"""Translation of a stream of lines, as they come."""

import codecs
from collections.abc import Callable, Iterator
from io import BufferedReader
from typing import BinaryIO, Protocol

import tensorflow as tf

from neural_gpu_tf.inference.faulty_lines import FaultyLines
from neural_gpu_tf.inference.translate_all import Translation, translate_all

_AT_ONCE = 1 << 16  # bytes


class TranslatesText(Protocol):
    """Protocol of `Translator` and `ExportedTranslator`."""

    def translate(self, text: tf.Tensor) -> dict[str, tf.Tensor]: ...

    def too_long(self, text: tf.Tensor) -> tf.Tensor: ...


def translate_stream(
    translator: TranslatesText,
    source: BufferedReader,
    target: BinaryIO,
    name: str = "standard input",
    each: Callable[[int, bytes, Translation], None] | None = None,
    at_start: bool = True,
) -> None:
    r"""Writes the translation of each line, in order: as many lines as there are.

    If the translator gives several for each (`n_best_text`), so many lines a line, best
    first: score, tab, translation; "-inf" and nothing where there are not so many.

    Lines end in "\n" or "\r\n". All that has come is translated at once, so lines that
    are typed are answered one by one, and a file in large batches. A warning at the
    end counts the lines that are not UTF-8 (bad bytes are read as U+FFFD), another
    those that are too long (the end is cut off).

    Args:
        translator: translates.
        source: to read lines from.
        target: to write lines to; flushed after every batch.
        name: of `source`, for warnings.
        each: called with the number of each line, from 1, the line and its translation.
        at_start: a byte order mark in front is passed over.
    """
    done, cut, damaged = 0, FaultyLines(), FaultyLines()
    for lines in _lines_as_they_come(source):
        if at_start and not done:
            lines[0] = lines[0].removeprefix(codecs.BOM_UTF8)
        too_long = translator.too_long(tf.constant(lines)).numpy()
        pairs = enumerate(zip(lines, too_long, strict=True), done + 1)
        for number, (line, long) in pairs:
            cut.count(number, long)
            damaged.count(number, not _is_utf8(line))
        translations = translate_all(translator.translate, lines)
        for translation in translations:
            target.write(_lines(translation).encode())
        target.flush()
        for number, both in enumerate(zip(lines, translations, strict=True), done + 1):
            if each:
                each(number, *both)
        done += len(lines)
    damaged.warn(name, "not UTF-8; bad bytes were read as U+FFFD")
    cut.warn(
        name, "longer than --max_source_length symbols; the end was not translated"
    )


def _lines_as_they_come(source: BufferedReader) -> Iterator[list[bytes]]:
    """Waits for input and yields all complete lines that have come."""
    begun: list[bytes] = []  # the blocks of a line whose end has not come
    while block := source.read1(_AT_ONCE):
        *lines, rest = block.split(b"\n")
        if lines:
            lines[0] = b"".join([*begun, lines[0]])
            begun.clear()
            yield [line.removesuffix(b"\r") for line in lines]
        begun.append(rest)
    if last := b"".join(begun):
        yield [last]


def _lines(translation: Translation) -> str:
    if not translation.n_best:
        return f"{translation.text}\n"
    return "".join(f"{score:.6f}\t{text}\n" for score, text in translation.n_best)


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True
