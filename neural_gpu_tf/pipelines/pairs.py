"""Sentence pairs of many files, prepared for training."""

import dataclasses
import gzip
import itertools
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import apache_beam as beam
import tensorflow as tf
from absl import logging
from apache_beam.metrics import Metrics

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.pipelines.files import (
    Part,
    check_absent,
    find_files,
    opened,
    shard_names,
    whole_file,
)
from neural_gpu_tf.pipelines.run import Runner
from neural_gpu_tf.text import SpellOutTokenizer, Vocabulary
from neural_gpu_tf.text.lines import decoded_lines

_AT_ONCE = 512  # pairs in one call of the tokenizer
SIDES = ("source", "target")


@dataclasses.dataclass(frozen=True)
class PairFilter:
    """Decides which sentence pairs to keep. None with an empty side is.

    Attributes:
        max_length: symbols; pairs that need a canvas of more columns are dropped.
        max_ratio: pairs whose longer side has more than so many times the symbols of
            the shorter one are dropped; 0: none is.
    """

    max_length: int = 60
    max_ratio: float = 0.0

    def __post_init__(self) -> None:
        if self.max_length < 2:
            raise InputError(f"max_length={self.max_length}: must be at least 2")
        if self.max_ratio and not self.max_ratio >= 1:
            raise InputError(f"max_ratio={self.max_ratio}: must be 0 or at least 1")

    def keeps(self, source: int, target: int) -> bool:
        """Whether a pair of so many symbols, EOS not counted, is kept."""
        if not source or not target or max(source, target + 1) > self.max_length:
            return False
        longer, shorter = max(source, target), min(source, target)
        return not self.max_ratio or longer <= self.max_ratio * shorter


class _Shard(NamedTuple):
    """Two aligned files, and the start of the names of two to write."""

    output: str
    source: str
    target: str


def prepare_pairs(
    sources: Sequence[str],
    targets: Sequence[str],
    output: str,
    vocabulary: str,
    kept: PairFilter,
    runner: Runner,
) -> list[str]:
    """Filters aligned text files into OUTPUT-00000-of-00010.source.gz and .target.gz ….

    The k-th source file and the k-th target file make shard k. What is kept stands as
    it stood, in the order that it had.

    Args:
        sources, targets: patterns of UTF-8 text files, plain or ".gz"; line by line the
            ones translate the others.
        output: the start of the shards' names.
        vocabulary: a vocabulary file, by which symbols are counted, where every worker
            finds it.
        kept: which pairs are kept.
        runner: where it runs.

    Returns:
        The names of the shards, without ".source.gz" and ".target.gz".

    Raises:
        InputError: a pattern without files, files that are empty, damaged, not UTF-8 or
            not aligned, or a shard that is there already.
    """
    files = [[file.path for file in find_files(side)] for side in (sources, targets)]
    if len(files[0]) != len(files[1]):
        raise InputError(
            f"{len(files[0])} source files, but {len(files[1])} target files; give the "
            "same number of each: in order of names, the k-th translates the k-th"
        )
    names = shard_names(output, len(files[0]))
    check_absent([f"{name}.{side}.gz" for name in names for side in SIDES])
    work = [_Shard(*some) for some in zip(names, *files, strict=True)]

    def build(pipeline: beam.Pipeline) -> None:
        _ = (
            pipeline
            | "Shards" >> beam.Create(work)
            | "Spread" >> beam.Reshuffle()
            | "Prepare" >> beam.ParDo(_Prepare(vocabulary, kept))
        )

    counts = runner(build)
    logging.info("%s", ", ".join(f"{n:,} pairs {x}" for x, n in counts.items()))
    return names


class _Prepare(beam.DoFn):
    """Writes shards, and counts the pairs that are kept and those that are not."""

    def __init__(self, vocabulary: str, kept: PairFilter):
        self._vocabulary = vocabulary
        self._kept = kept
        self._counts = [Metrics.counter("pairs", x) for x in ("dropped", "kept")]

    def setup(self) -> None:
        self._tokenizer = SpellOutTokenizer(Vocabulary.load(self._vocabulary))

    def process(self, shard: _Shard) -> None:
        names = [f"{shard.output}.{side}.gz" for side in SIDES]
        with whole_file(names[0]) as source, whole_file(names[1]) as target:
            files = [_packed(file) for file in (source, target)]
            for pair in self._pairs(shard):
                for file, text in zip(files, pair, strict=True):
                    file.write(f"{text}\n".encode())
            for file in files:
                file.close()

    def _pairs(self, shard: _Shard) -> Iterator[tuple[str, str]]:
        """The pairs that are kept, in order."""
        pairs = _aligned(shard)
        while some := list(itertools.islice(pairs, _AT_ONCE)):
            lengths = [
                self._tokenizer.tokenize(tf.constant(texts)).row_lengths().numpy()
                for texts in zip(*some, strict=True)
            ]
            for pair, *both in zip(some, *lengths, strict=True):
                keeps = self._kept.keeps(*map(int, both))
                self._counts[keeps].inc()
                if keeps:
                    yield pair


def _aligned(shard: _Shard) -> Iterator[tuple[str, str]]:
    paths = shard.source, shard.target
    with opened(Part(paths[0], 0, None)) as a, opened(Part(paths[1], 0, None)) as b:
        sides = decoded_lines(a, paths[0]), decoded_lines(b, paths[1])
        for number, pair in enumerate(itertools.zip_longest(*sides), 1):
            if None in pair:
                short, long = paths if pair[0] is None else paths[::-1]
                raise InputError(
                    f"{short}: line {number} of {long} has no partner; align the files "
                    "line by line"
                )
            yield pair


def _packed(file: object) -> gzip.GzipFile:
    """The same bytes whenever and under whatever name it is written."""
    return gzip.GzipFile("", "wb", fileobj=file, mtime=0)  # type: ignore[call-overload]
