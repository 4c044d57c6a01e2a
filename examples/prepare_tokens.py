"""Tokens for examples/train_with_jax.py, made where TensorFlow is.

python examples/prepare_tokens.py --flagfile=configs/multi30k_extended.flags \\
  --data_dir=DIR --tokens=TOKENS

Takes the flags of neural-gpu-train and writes to TOKENS what a machine without
TensorFlow needs: config.json (the experiment), vocab.txt and tokens.npz:

    buckets                [buckets, 2]: canvas size n, and how many in a batch
    train_{n}_source       [pairs, n] symbols, PAD behind the last one
    train_{n}_target       [pairs, n] the same; each ends with EOS
    train_{n}_size         [pairs] canvas sizes, at most n
    validation_{n}_…       the same of the validation pairs, long ones too

of every bucket that has pairs. With --extra_columns the canvases' sizes are drawn once
for each of the --passes over the training pairs.
"""

import os
import sys
from collections.abc import Iterator, Sequence

import numpy as np
from absl import flags, logging

from neural_gpu_tf.bin import app
from neural_gpu_tf.bin import flags as config_flags
from neural_gpu_tf.constants import PAD
from neural_gpu_tf.data import (
    EpochCounts,
    Source,
    bucket_table,
    evaluation_batches,
    open_source,
    pipeline,
)
from neural_gpu_tf.data.training_batches import log_counts
from neural_gpu_tf.options import (
    DataConfig,
    DecodingConfig,
    ModelConfig,
    TrainingConfig,
    VocabularyConfig,
)
from neural_gpu_tf.runs import RunConfig, RunDirectory
from neural_gpu_tf.text import SpellOutTokenizer, Vocabulary
from neural_gpu_tf.workflows.train_translation import run_vocabulary

CONFIGS = (DataConfig, ModelConfig, TrainingConfig, DecodingConfig, VocabularyConfig)
NAMES = ("source", "target", "size")
TOKENS = "tokens.npz"

Arrays = dict[str, np.ndarray]


def prepare_tokens(
    path: str | os.PathLike[str],
    data: DataConfig,
    model: ModelConfig,
    training: TrainingConfig,
    decoding: DecodingConfig,
    vocabulary: VocabularyConfig,
    vocabulary_path: str = "",
    passes: int = 1,
    command: Sequence[str] = tuple(sys.argv),
) -> None:
    """Writes config.json, vocab.txt and tokens.npz.

    Args:
        path: the directory to write to.
        data, model, training, decoding: the options.
        vocabulary, vocabulary_path: as `train_translation` takes them.
        passes: how often to go over the training pairs.
        command: what to write down as the start's command.

    Raises:
        InputError: something given is missing or wrong.
    """
    directory = RunDirectory(path)
    source = open_source(data)
    symbols = run_vocabulary(directory, source, vocabulary, vocabulary_path)
    config = RunConfig(
        data, model, training, decoding, len(symbols), symbols.fingerprint()
    )
    directory.begin(config, command, symbols, source.fingerprints())
    arrays = token_arrays(source, symbols, data, passes)
    np.savez_compressed(directory.path / TOKENS, **arrays)
    for split in ("train", "validation"):
        pairs = sum(len(arrays[name]) for name in arrays if name.startswith(split))
        logging.info("%s: %d %s pairs", directory.path, pairs // len(NAMES), split)


def token_arrays(
    source: Source, vocabulary: Vocabulary, config: DataConfig, passes: int = 1
) -> Arrays:
    """What tokens.npz holds; see the module."""
    tokenizer = SpellOutTokenizer(vocabulary)
    dtype = np.min_scalar_type(len(vocabulary) - 1)
    table = dict(bucket_table(config))
    parts: dict[str, list[np.ndarray]] = {}

    def add(split: str, batch: Arrays) -> None:
        n = batch["source"].shape[1]
        for name in NAMES:
            kind = np.int32 if name == "size" else dtype
            parts.setdefault(f"{split}_{n}_{name}", []).append(batch[name].astype(kind))

    for epoch in range(passes):
        for batch in _training_rows(source, tokenizer, config, epoch):
            add("train", batch)
    for batch in evaluation_batches(source, tokenizer, config).as_numpy_iterator():
        rows, n = batch["source"].shape
        table[n] = max(rows, table.get(n, 0))
        add("validation", batch)
    arrays = {name: np.concatenate(part) for name, part in parts.items()}
    return {"buckets": np.array(sorted(table.items())), **arrays}


def _training_rows(
    source: Source, tokenizer: SpellOutTokenizer, config: DataConfig, epoch: int
) -> Iterator[Arrays]:
    """The training pairs in file order, those of a bucket together, some at a time."""
    table = bucket_table(config)
    sizes = [n for n, _ in table]

    def tell(histogram: np.ndarray) -> None:
        log_counts(EpochCounts.from_sizes(epoch, histogram, table))

    pairs = pipeline.tokenized(source.dataset("train"), tokenizer)
    pairs = pipeline.widened(
        pairs, config.extra_columns, config.max_length, config.seed, epoch
    )
    pairs = pipeline.counted(pairs, config.max_length, tell)
    pairs = pipeline.without_long(pairs, config.max_length)
    for element in pipeline.prefetched(pairs):
        rows = {
            name: element[name].to_tensor(PAD, shape=[None, sizes[-1]]).numpy()
            for name in ("source", "target")
        }
        size = element["size"].numpy()
        bucket = np.searchsorted(sizes, size)
        for k in np.unique(bucket):
            own, n = bucket == k, sizes[k]
            yield {name: rows[name][own, :n] for name in rows} | {"size": size[own]}


def main(argv: Sequence[str]) -> None:
    app.no_arguments(argv)
    args = flags.FLAGS
    configs = map(config_flags.read, CONFIGS)
    prepare_tokens(args.tokens, *configs, args.vocab, args.passes, sys.argv)


if __name__ == "__main__":
    flags.DEFINE_string("tokens", None, "directory to write to")
    flags.DEFINE_string(
        "vocab", "", "vocabulary file; empty: a new one from the training data"
    )
    flags.DEFINE_integer("passes", 1, "over the training pairs", lower_bound=1)
    flags.mark_flag_as_required("tokens")
    for config in CONFIGS:
        config_flags.define(config)
    app.run(main)
