"""A vocabulary of many files."""

from collections.abc import Iterator, Sequence

import apache_beam as beam

from neural_gpu_tf.options import VocabularyConfig
from neural_gpu_tf.pipelines.files import (
    Part,
    check_no_folder,
    find_files,
    make_folder,
    opened,
    split_by_size,
    whole_file,
)
from neural_gpu_tf.pipelines.run import Runner
from neural_gpu_tf.text.count_pieces import count_pieces
from neural_gpu_tf.text.lines import decoded_lines
from neural_gpu_tf.text.vocabulary import VISIBLE_SPACE, Vocabulary

_PART = 64 << 20  # bytes that are counted at a time


Count = tuple[tuple[bool, str], int]
"""Whether it is a piece (else a character), its text; how often it occurs."""


def vocabulary_of_files(
    patterns: Sequence[str], output: str, config: VocabularyConfig, runner: Runner
) -> None:
    """Counts the pieces of text files and writes the vocabulary of the most frequent.

        files > parts of 64 MiB > counts of each > sums > the most frequent > one file

    It has the bytes of what `build_vocabulary` makes of the same files, unless there
    are so many pieces that that one forgets rare ones.

    Args:
        patterns: of UTF-8 text files, plain or ".gz", one sentence a line.
        output: the file; one that is there is replaced.
        config: what the vocabulary takes.
        runner: where it runs.

    Raises:
        InputError: a pattern without files, an empty or damaged one, a line that is
            not UTF-8, or an output that is a folder or can't be written.
    """
    check_no_folder(output)
    parts = split_by_size(find_files(patterns), _PART)
    make_folder(output)  # before all is counted

    def build(pipeline: beam.Pipeline) -> None:
        counts = (
            pipeline
            | "Parts" >> beam.Create(parts)
            | "Spread" >> beam.Reshuffle()
            | "Count" >> beam.FlatMap(_count)
            | "Sum" >> beam.CombinePerKey(sum)
            | "Allowed" >> beam.Filter(_is_allowed, config.min_count)
            | "Kinds" >> beam.Map(lambda item: (item[0][0], item))
            | "Most" >> beam.combiners.Top.PerKey(config.vocab_size, key=_rank)
            | "Together" >> beam.combiners.ToList()
        )
        _ = counts | "Write" >> beam.Map(_write, config, output)

    runner(build)


def _count(part: Part) -> Iterator[Count]:
    name = f"{part.path}, from byte {part.start}" if part.start else part.path
    with opened(part) as file:
        lines = decoded_lines(file, name, at_start=not part.start)
        counts = count_pieces(lines)
    for is_piece, some in enumerate(counts):
        for text, count in some.items():
            yield (bool(is_piece), text), count


def _is_allowed(item: Count, least_count: int) -> bool:
    (_, text), count = item
    return count >= least_count and VISIBLE_SPACE not in text


def _rank(item: Count) -> tuple[int, tuple[int, ...]]:
    """The larger, the sooner it is taken: by count, then by code points, the least."""
    (_, text), count = item
    return count, (*(-ord(character) for character in text), 1)


def _write(
    kinds: list[tuple[bool, list[Count]]],
    config: VocabularyConfig,
    output: str,
) -> None:
    counts = {is_piece: {text: n for (_, text), n in most} for is_piece, most in kinds}
    vocabulary = Vocabulary.from_counts(
        counts.get(False, {}),
        counts.get(True, {}),
        config.vocab_size,
        config.max_characters,
        config.min_count,
    )
    with whole_file(output) as file:
        file.write(vocabulary.content())
