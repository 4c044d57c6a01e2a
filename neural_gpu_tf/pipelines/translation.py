"""Translations of many files, or of a large one."""

from collections.abc import Sequence
from typing import NamedTuple

import apache_beam as beam

from neural_gpu_tf.inference import translate_stream
from neural_gpu_tf.pipelines.files import (
    Part,
    check_absent,
    find_files,
    opened,
    shard_names,
    split_evenly,
    whole_file,
)
from neural_gpu_tf.pipelines.run import Runner
from neural_gpu_tf.serving import load_exported


class _Shard(NamedTuple):
    """A file to write, and what is translated into it."""

    output: str
    parts: list[Part]


def translate_files(
    patterns: Sequence[str],
    output: str,
    export_dir: str,
    runner: Runner,
    shards: int | None = None,
) -> list[str]:
    """Translates text files line by line, in order, into OUTPUT-00000-of-00010 ….

    One shard after the other they are what `translate_stream` writes for one file after
    the other.

    Args:
        patterns: of text files, plain or ".gz", one sentence a line.
        output: the start of the shards' names.
        export_dir: one version of an export, where every worker finds it.
        runner: where it runs.
        shards: how many; None: one for each file. A packed file can't be split.

    Returns:
        The names of the shards.

    Raises:
        InputError: a pattern without files, an empty or packed one, a shard that is
            there already, or what is no export.
    """
    files = find_files(patterns)
    if shards:
        shares = split_evenly(files, shards)
    else:
        shares = [[Part(file.path, 0, None)] for file in files]
    names = shard_names(output, len(shares))
    check_absent(names)
    work = [_Shard(*both) for both in zip(names, shares, strict=True)]

    def build(pipeline: beam.Pipeline) -> None:
        _ = (
            pipeline
            | "Shards" >> beam.Create(work)
            | "Spread" >> beam.Reshuffle()
            | "Translate" >> beam.ParDo(_Translate(export_dir))
        )

    runner(build)
    return names


class _Translate(beam.DoFn):
    """Writes shards; a translator is loaded for each thread of a worker."""

    def __init__(self, export_dir: str):
        self._export_dir = export_dir

    def setup(self) -> None:
        self._translator = load_exported(self._export_dir)

    def process(self, shard: _Shard) -> None:
        with whole_file(shard.output) as target:
            for part in shard.parts:
                begins = part.start == 0
                with opened(part) as source:
                    translate_stream(
                        *(self._translator, source, target, _name(part)),
                        at_start=begins,
                    )


def _name(part: Part) -> str:
    return f"{part.path}, from byte {part.start}" if part.start else part.path
