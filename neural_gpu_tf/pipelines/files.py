"""Files of pipelines, on any file system that Apache Beam knows."""

import contextlib
import gzip
import io
import itertools
import os
import uuid
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO, NamedTuple, cast

from apache_beam.io.filesystem import BeamIOError, CompressionTypes
from apache_beam.io.filesystems import FileSystems

from neural_gpu_tf.errors import InputError, reason

_PLAIN = CompressionTypes.UNCOMPRESSED


class InputFile(NamedTuple):
    """A file that is there."""

    path: str
    size: int  # bytes


class Part(NamedTuple):
    """Whole lines of a file."""

    path: str
    start: int  # the first byte
    end: int | None  # the byte after the last; None: the file's end, which is packed


def find_files(patterns: Sequence[str]) -> list[InputFile]:
    """The files of each pattern in turn, those of one by name.

    Raises:
        InputError: a pattern has no file, or a file is empty.
    """
    found = []
    for pattern in patterns:
        local = "://" not in pattern
        try:
            matches = FileSystems.match(
                [os.path.abspath(pattern) if local else pattern]
            )[0].metadata_list
        except (BeamIOError, ValueError) as error:
            raise InputError(f"{pattern}: can't be read ({error})") from error
        if not matches:
            raise InputError(f"{pattern}: no such file; check the name")
        found += sorted(InputFile(x.path, x.size_in_bytes) for x in matches)
    for path, size in found:
        check_no_folder(path)
        if _is_packed(path) and not path.endswith(".gz"):
            raise InputError(f"{path}: packed, but not as .gz; unpack it")
        if not size:
            raise InputError(
                f"{path}: the file is empty; it must hold at least one line"
            )
    return found


def split_by_size(files: Sequence[InputFile], most: int) -> list[Part]:
    """The files in parts of about so many bytes at most; packed ones whole."""
    parts = []
    for file in files:
        if _is_packed(file.path):
            parts.append(Part(file.path, 0, None))
            continue
        count = -(-file.size // most)
        cuts = [file.size * k // count for k in range(count + 1)]
        parts += _between(file, [_line_start(file, cut) for cut in cuts])
    return parts


def split_evenly(files: Sequence[InputFile], count: int) -> list[list[Part]]:
    """All lines of the files, in order, in `count` shares of about as many bytes.

    Raises:
        InputError: a file is packed, so that no one knows where its lines begin.
    """
    packed = next((file.path for file in files if _is_packed(file.path)), None)
    if packed:
        raise InputError(
            f"{packed}: a .gz file can't be split; decompress it, or omit --shards"
        )
    total = sum(file.size for file in files)
    shares: list[list[Part]] = [[] for _ in range(count)]
    before = 0
    for file in files:
        cuts = [total * k // count - before for k in range(count + 1)]
        starts = [_line_start(file, min(max(x, 0), file.size)) for x in cuts]
        for share, (start, end) in zip(shares, itertools.pairwise(starts), strict=True):
            if start < end:
                share.append(Part(file.path, start, end))
        before += file.size
    return shares


def _between(file: InputFile, cuts: Sequence[int]) -> list[Part]:
    pairs = itertools.pairwise(cuts)
    return [Part(file.path, *pair) for pair in pairs if pair[0] < pair[1]]


def _line_start(file: InputFile, at: int) -> int:
    """The first byte from `at` on that begins a line; the size if none does."""
    if at in (0, file.size):
        return at
    with FileSystems.open(file.path, compression_type=_PLAIN) as opened:
        opened.seek(at - 1)
        return at - 1 + len(opened.readline())


def _is_packed(path: str) -> bool:
    return CompressionTypes.detect_compression_type(path) != _PLAIN


class _Range(io.RawIOBase):
    """So many bytes of an open file; None: all that is left."""

    def __init__(self, file: Any, count: int | None):
        self.file = file
        self.left = count

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        most = len(buffer) if self.left is None else min(len(buffer), self.left)
        read = self.file.read(most) if most else b""
        buffer[: len(read)] = read
        if self.left is not None:
            self.left -= len(read)
        return len(read)


@contextlib.contextmanager
def opened(part: Part) -> Iterator[io.BufferedReader]:
    """The unpacked bytes of a part."""
    if part.path.endswith(".gz"):  # of a file cut off Beam says nothing
        with FileSystems.open(part.path, compression_type=_PLAIN) as raw:
            yield io.BufferedReader(gzip.GzipFile(fileobj=raw))
        return
    with FileSystems.open(part.path) as file:
        if part.start:
            file.seek(part.start)
        count = None if part.end is None else part.end - part.start
        yield io.BufferedReader(_Range(file, count))


def shard_names(output: str, count: int) -> list[str]:
    """OUTPUT-00000-of-00010 and so on."""
    return [f"{output}-{k:05d}-of-{count:05d}" for k in range(count)]


def check_absent(paths: Sequence[str]) -> None:
    """Raises InputError if one is there, or its folder can't be made; makes that."""
    for path in paths:
        if FileSystems.exists(path):
            raise InputError(
                f"{path}: is there already; choose another --output, or remove it"
            )
    make_folder(paths[0])


def make_folder(path: str) -> None:
    """Makes the folder of a file; raises InputError if files can't be made there."""
    folder = FileSystems.split(path)[0]
    try:
        if folder and not FileSystems.exists(folder):
            FileSystems.mkdirs(folder)
        with whole_file(path):
            raise _NothingIsWritten
    except _NothingIsWritten:
        pass
    except (BeamIOError, OSError) as error:
        raise InputError(
            f"{path}: can't be written ({reason(error)}); choose another --output"
        ) from error


class _NothingIsWritten(Exception):
    """Ends a trial."""


def check_no_folder(path: str) -> None:
    """Raises InputError if it is a folder of this machine, or named as one."""
    if path.endswith("/") or ("://" not in path and os.path.isdir(path)):
        raise InputError(f"{path}: a folder; name a file")


@contextlib.contextmanager
def whole_file(path: str) -> Iterator[BinaryIO]:
    """A file that appears at `path` when what is within ends, whole or not at all.

    Written a second time, even at the same time, it takes the place of the first.
    """
    folder, name = FileSystems.split(path)
    beside = FileSystems.join(folder, f".{name}.{uuid.uuid4().hex}.tmp")
    try:
        with FileSystems.create(beside, compression_type=_PLAIN) as file:
            yield cast(BinaryIO, file)
        try:
            FileSystems.rename([beside], [path])
        except BeamIOError:  # some file systems don't rename to what is there
            check_no_folder(path)  # it would be deleted with all it holds
            FileSystems.delete([path])
            FileSystems.rename([beside], [path])
    finally:
        if FileSystems.exists(beside):
            FileSystems.delete([beside])
