"""Sentence pairs in two text files, line by line."""

import contextlib
import functools
import glob
import gzip
import hashlib
import itertools
import os
from collections.abc import Iterator, Mapping

import numpy as np
import tensorflow as tf
from absl import logging

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

    A name may be a pattern, "train-*.en.gz", of several files; they follow each other
    by name, and of them some may be empty.

    Args:
        files: split name to (source path, target path).

    Raises:
        InputError: a file is missing, empty or not UTF-8, a pipe, or packed so that
            TensorFlow does not read it whole, or the two have different numbers of
            lines. Every file is read, here, to find out.
    """

    def __init__(self, files: Mapping[str, tuple[str, str]]) -> None:
        self.files = dict(files)
        self._paths = {
            split: (_matching(source), _matching(target))
            for split, (source, target) in self.files.items()
        }
        self.pairs = {
            split: _check_all_aligned(*paths) for split, paths in self._paths.items()
        }
        self._opened = self.fingerprints()

    def fingerprints(self) -> dict[str, str]:
        """SHA-256 of each file, by its path; read again only where it has changed."""
        sides = (side for pair in self._paths.values() for side in pair)
        paths = [path for side in sides for path in side]
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
        for path in itertools.chain(*self._split_files(split)):
            for line in read_lines(path):
                yield line.replace("\r", "")  # as TextLineDataset does

    def describe(self, split: str) -> str:
        """Which pairs a split has, for the log."""
        check_choice("split", split, tuple(self.files))
        source, target = self.files[split]
        return f"{self.pairs[split]:,} pairs of {source} and {target}"

    def _split_files(self, split: str) -> tuple[list[str], list[str]]:
        check_choice("split", split, tuple(self.files))
        return self._paths[split]


def _matching(name: str) -> list[str]:
    """The files of a pattern, by name; the name itself if it is none, or a file's."""
    if glob.escape(name) == name or os.path.exists(name):
        return [name]
    found = [path for path in sorted(glob.glob(name)) if _has_lines(path)]
    if not found:
        raise InputError(f"{name}: no non-empty file matches; check the pattern")
    return found


def _has_lines(path: str) -> bool:
    try:
        with gzip.open(path) if path.endswith(".gz") else open(path, "rb") as file:
            return bool(file.read(1))
    except (OSError, EOFError):
        return True  # which is told when its lines are read


def _changes(path: str) -> tuple[int, int]:
    """What tells a file that has changed: its size in bytes, its time in ns."""
    try:
        found = os.stat(path)
    except OSError as error:
        raise InputError(
            f"{path}: {error.strerror}; put it back and give the same command again"
        ) from error
    return found.st_size, found.st_mtime_ns


@functools.cache  # of any number of files
def _sha256(path: str, size: int, modified: int) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _lines(paths: list[str]) -> tf.data.Dataset:
    """The lines of files, one after the other; those of a kind are one dataset."""
    kinds = itertools.groupby(paths, lambda path: (_packing(path), _has_mark(path)))
    datasets = []
    for (packing, with_mark), some in kinds:
        if with_mark:
            each = [tf.data.TextLineDataset(path, packing) for path in some]
            for lines in each:
                first = lines.take(1).map(lambda line: tf.strings.substr(line, 3, -1))
                datasets.append(first.concatenate(lines.skip(1)))
        else:
            datasets.append(tf.data.TextLineDataset(list(some), packing))
    return functools.reduce(tf.data.Dataset.concatenate, datasets)


def _packing(path: str) -> str:
    return "GZIP" if path.endswith(".gz") else ""


def _has_mark(path: str) -> bool:
    lines = tf.data.TextLineDataset(path, _packing(path))
    return next(iter(lines)).numpy().startswith(_BYTE_ORDER_MARK)


def _count_lines(path: str) -> int:
    """The lines of a sound file; warns of carriage returns within them.

    Raises:
        InputError: it is not sound, or TensorFlow would read less than all of it, as it
            does where a packed file is several of which one is empty.
    """
    if os.path.exists(path) and not (os.path.isfile(path) or os.path.isdir(path)):
        raise InputError(f"{path}: not a regular file; write its lines to one first")
    lines, within, line = 0, 0, "-"
    for line in read_lines(path):
        lines, within = lines + 1, within + ("\r" in line.rstrip("\r"))
    if within:
        logging.warning(
            "%s: carriage returns within %d line(s) are removed, which may join "
            "words; replace them with spaces",
            *(path, within),
        )
    if not line.strip("\r") and _last_byte(path) == b"\r":
        raise InputError(
            f"{path}: ends in a carriage return alone, which TensorFlow does not "
            "read as a line; add a line feed after it, or remove it"
        )
    if _packing(path):
        seen = 0
        with contextlib.suppress(tf.errors.OpError):
            packed = tf.data.TextLineDataset(path, "GZIP")
            seen = int(packed.reduce(np.int64(0), lambda n, _: n + 1))
        if seen != lines:
            raise InputError(
                f"{path}: TensorFlow does not read all {lines} lines of this .gz "
                f"file of several parts; recompress it: zcat {path} | gzip > NAME.gz"
            )
    return lines


def _last_byte(path: str) -> bytes:
    """Of a file's text; only what ends in an empty line is asked."""
    with gzip.open(path) if _packing(path) else open(path, "rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1)


def _check_all_aligned(sources: list[str], targets: list[str]) -> int:
    """The lines of both sides; InputError if file by file they are not as many."""
    if len(sources) != len(targets):
        raise InputError(
            f"{sources[0]}: {len(sources)} source files, but {len(targets)} target "
            f"files ({targets[0]}); name the same number of each"
        )
    return sum(map(_check_aligned, sources, targets))


def _check_aligned(source: str, target: str) -> int:
    """The lines of both files; InputError if they are not sound and equally long."""
    lines, others = (_count_lines(path) for path in (source, target))
    if lines == others:
        return lines
    short, long = (source, target) if lines < others else (target, source)
    raise InputError(
        f"{short}: line {min(lines, others) + 1} of {os.path.basename(long)} has no "
        f"partner: {min(lines, others)} lines against {max(lines, others)}; "
        "align the files line by line"
    )
