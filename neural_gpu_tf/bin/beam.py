"""neural-gpu-beam: corpora and files on many machines, by Apache Beam.

neural-gpu-beam --job=vocabulary --input='corpus/*.gz' --output=vocab.txt
neural-gpu-beam --job=pairs --source='corpus/*.en.gz' --target='corpus/*.fr.gz' \\
  --vocab=vocab.txt --output=prepared/train
neural-gpu-beam --job=translate --input=mono.en --shards=10 \\
  --export_dir=RUN/export/1 --output=translated/mono.fr
neural-gpu-beam --job=translate ... --runner=FlinkRunner -- --flink_master=host:8081

Input names may be patterns; inputs and --output may be on any file system that Beam
supports, --vocab and --export_dir are local to every worker. Options of Beam and its
runners go after "--". Needs `pip install 'neural-gpu-tf[beam]'`.
"""

from collections.abc import Sequence
from logging import ERROR, WARNING, LogRecord, getLogger
from types import ModuleType

from absl import flags, logging

from neural_gpu_tf.bin import app
from neural_gpu_tf.bin import flags as config_flags
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.options import VocabularyConfig

_NEEDS = {
    "vocabulary": ("input", "output"),
    "pairs": ("source", "target", "vocab", "output"),
    "translate": ("input", "export_dir", "output"),
}
_TAKES = {  # besides
    "vocabulary": config_flags.names(VocabularyConfig),
    "pairs": {"max_length", "max_ratio"},
    "translate": {"shards"},
}

flags.DEFINE_enum("job", None, list(_NEEDS), "what to make", required=True)
flags.DEFINE_multi_string("input", [], "text files, plain or .gz; may be given again")
flags.DEFINE_multi_string("source", [], "pairs: sentences to translate")
flags.DEFINE_multi_string("target", [], "pairs: their translations, line by line")
flags.DEFINE_string(
    "output",
    "",
    "vocabulary: the file to write; pairs, translate: the prefix of the shards' names, "
    "before -00003-of-00010",
)
flags.DEFINE_string(
    "vocab", "", "pairs: the vocabulary, by which symbols are counted: a local file"
)
flags.DEFINE_integer("max_length", 60, "pairs: longest canvas that is kept, symbols")
flags.DEFINE_float(
    "max_ratio", 0.0, "pairs: maximum ratio of the sides' symbols; 0: no limit"
)
flags.DEFINE_string(
    "export_dir", "", "translate: a version of an export: a local folder"
)
flags.DEFINE_integer(
    "shards", None, "translate: how many; not given: one for each file", lower_bound=1
)
flags.DEFINE_string(
    "runner",
    "DirectRunner",
    "DirectRunner, FlinkRunner, SparkRunner, DataflowRunner, …",
)
config_flags.define(VocabularyConfig)


def main(argv: Sequence[str]) -> None:
    args = flags.FLAGS
    if argv and not argv[0].startswith("-"):
        raise InputError(
            f"{argv[0]!r}: not a flag; put a pattern in quotes, or give the flag again "
            "for each file"
        )
    for name in _NEEDS[args.job]:
        if not getattr(args, name):
            raise InputError(f"--{name}: not set; --job={args.job} needs it")
    flags_of = {job: {*_NEEDS[job], *_TAKES[job]} for job in _NEEDS}
    others = set().union(*flags_of.values()) - flags_of[args.job]
    config_flags.refuse(others, f"--job={args.job} does not use it; leave it out")
    pipelines = _imported()

    runner = pipelines.Runner(args.runner, argv)
    if args.job == "vocabulary":
        config = config_flags.read(VocabularyConfig)
        pipelines.vocabulary_of_files(args.input, args.output, config, runner)
        written = [args.output]
    elif args.job == "pairs":
        kept = pipelines.PairFilter(args.max_length, args.max_ratio)
        written = pipelines.prepare_pairs(
            args.source, args.target, args.output, args.vocab, kept, runner
        )
    else:
        written = pipelines.translate_files(
            args.input, args.output, args.export_dir, runner, args.shards
        )
    logging.info("%d written: %s …", len(written), written[0])


def _imported() -> ModuleType:
    """The room of pipelines; Beam's lines about what it could do besides are left out.

    Raises:
        InputError: Beam is not installed.
    """
    root, beams = getLogger(), getLogger("apache_beam")
    level = root.level
    root.setLevel(ERROR)
    try:
        from neural_gpu_tf import pipelines
    except ImportError as error:
        raise InputError(f"{error}; pip install 'neural-gpu-tf[beam]'") from error
    finally:
        root.setLevel(level)
    beams.setLevel(WARNING)
    logging.get_absl_handler().addFilter(_is_no_input_error)
    return pipelines


def _is_no_input_error(record: LogRecord) -> bool:
    """False for an error that is told, in one line, at the end."""
    error = record.exc_info[1] if record.exc_info else None
    return "InputError: " not in f"{type(error).__name__}: {record.getMessage()}"


def cli() -> None:
    """The console script."""
    app.run(main)


if __name__ == "__main__":
    cli()
