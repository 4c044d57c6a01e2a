"""Sentence pairs in two text files, line by line."""

import functools
import hashlib
import os
from collections.abc import Iterator, Mapping

import tensorflow as tf

from neural_gpu_tf.configuration import check_choice
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.text.lines import read_lines

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class TextFiles:
    r"""Pairs of aligned text files: line k of one translates line k of the other.

    Files are UTF-8, plain or (by their extension) .gz, with lines ending in "\n" or
    "\r\n". A line may be empty; training skips and counts such pairs.

        source = TextFiles({"train": ("train.en.gz", "train.fr.gz")})
        source.dataset("train")  # (b"Two young, ...", b"Deux jeunes ..."), ...

    Args:
        files: split name to (source path, target path).

    Raises:
        InputError: a file is missing, empty or not UTF-8, or the two have different
            numbers of lines. Every file is read, here, to find out.
    """

    def __init__(self, files: Mapping[str, tuple[str, str]]) -> None:
        self.files = dict(files)
        self.pairs = {
            split: _check_aligned(*paths) for split, paths in self.files.items()
        }
        self._opened = self.fingerprints()

    def fingerprints(self) -> dict[str, str]:
        """SHA-256 of each file, by its path; read again only where it has changed."""
        paths = [path for pair in self.files.values() for path in pair]
        return {path: _sha256(path, *_changes(path)) for path in paths}

    def dataset(self, split: str) -> tf.data.Dataset:
        """(source, target), string scalars, in file order.

        Raises:
            InputError: a file is another one than when it was opened.
        """
        source, target = self._split_files(split)
        for path, fingerprint in self.fingerprints().items():
            if fingerprint != self._opened[path]:
                raise InputError(
                    f"{path}: has changed since training began to read it; put it back "
                    "and give the same command again"
                )
        return tf.data.Dataset.zip(_lines(source), _lines(target))

    def sentences(self, split: str) -> Iterator[str]:
        """Every line of the source file, then of the target file."""
        for path in self._split_files(split):
            for line in read_lines(path):
                yield line.replace("\r", "")  # as TextLineDataset does

    def describe(self, split: str) -> str:
        """Which pairs a split has, for the log."""
        source, target = self._split_files(split)
        return f"{self.pairs[split]:,} pairs of {source} and {target}"

    def _split_files(self, split: str) -> tuple[str, str]:
        check_choice("split", split, tuple(self.files))
        return self.files[split]


def _changes(path: str) -> tuple[int, int]:
    """What tells a file that has changed: its size in bytes, its time in ns."""
    try:
        found = os.stat(path)
    except OSError as error:
        raise InputError(
            f"{path}: {error.strerror}; put it back and give the same command again"
        ) from error
    return found.st_size, found.st_mtime_ns


@functools.lru_cache
def _sha256(path: str, size: int, modified: int) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _lines(path: str) -> tf.data.Dataset:
    lines = tf.data.TextLineDataset(
        path, compression_type="GZIP" if path.endswith(".gz") else ""
    )
    with_mark = next(iter(lines)).numpy().startswith(_BYTE_ORDER_MARK)
    if not with_mark:
        return lines
    first = lines.take(1).map(lambda line: tf.strings.substr(line, 3, -1))
    return first.concatenate(lines.skip(1))


def _check_aligned(source: str, target: str) -> int:
    """The lines of both files; InputError if they are not sound and equally long."""
    lines, others = (sum(1 for _ in read_lines(path)) for path in (source, target))
    if lines == others:
        return lines
    short, long = (source, target) if lines < others else (target, source)
    raise InputError(
        f"{short}: line {min(lines, others) + 1} of {os.path.basename(long)} has no "
        f"partner: {min(lines, others)} lines against {max(lines, others)}; "
        "align the files line by line"
    )
