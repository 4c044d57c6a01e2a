"""From a configuration to a trained run."""

import dataclasses
import os
import sys
from collections.abc import Sequence

from absl import logging

from neural_gpu_tf import text
from neural_gpu_tf.data import Source, evaluation_batches, open_source
from neural_gpu_tf.decoding import check_predictor
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.evaluation import AlignmentPictures, Perplexity, scores
from neural_gpu_tf.inference import Translator, translate_all
from neural_gpu_tf.options import (
    DataConfig,
    DecodingConfig,
    ModelConfig,
    TrainingConfig,
    VocabularyConfig,
)
from neural_gpu_tf.runs.config import RunConfig
from neural_gpu_tf.runs.run_directory import RunDirectory
from neural_gpu_tf.text import Vocabulary, count_pieces
from neural_gpu_tf.training.epochs import Epochs
from neural_gpu_tf.training.new_model import new_model
from neural_gpu_tf.training.strategy import mirrored_strategy
from neural_gpu_tf.training.trainer import Trainer

SAMPLES = 8
"""Validation sentences whose translations TensorBoard shows."""

PICTURES = 3
"""Those of them whose alignments it shows, of a model that has any."""


def train_translation(
    run_dir: str | os.PathLike[str],
    data: DataConfig,
    model: ModelConfig,
    training: TrainingConfig,
    decoding: DecodingConfig,
    vocabulary: VocabularyConfig,
    vocabulary_path: str = "",
    command: Sequence[str] = tuple(sys.argv),
) -> dict[str, float]:
    """Trains a translation model, or goes on with it.

    Args:
        run_dir: the run directory; see `RunDirectory`.
        data, model, training, decoding: the options.
        vocabulary: how to build the vocabulary from the training data, when neither
            the run nor `vocabulary_path` has one.
        vocabulary_path: a vocab.txt to copy into the run; "" for none.
        command: what to write down as the start's command.

    Returns:
        The last validation's scalars and "train_seconds"; also in summary.json.

    Raises:
        InputError: something given is missing or wrong.
        Interrupted: on SIGTERM or Ctrl-C, after writing a checkpoint.
    """
    check_predictor(decoding, None)  # there is a model to fit one to only later
    strategy = mirrored_strategy(training.replicas)
    directory = RunDirectory(run_dir)
    source = open_source(data)
    for split in ("train", "validation"):
        logging.info("%s: %s", split, source.describe(split))
    symbols = run_vocabulary(
        directory, source, vocabulary, vocabulary_path, training.init_from
    )
    config = RunConfig(
        data, model, training, decoding, len(symbols), symbols.fingerprint()
    )
    directory.begin(config, command, symbols, source.fingerprints())
    tokenizer = text.SpellOutTokenizer(symbols)
    seed, precision = training.training_seed, training.precision
    network = new_model(model, len(symbols), seed, strategy, precision)
    translator = Translator(network, tokenizer, decoding)
    pictures = None
    if network.aligns:
        pictures = AlignmentPictures(translator)
    perplexity = Perplexity(network)
    batches = evaluation_batches(source, tokenizer, data)
    pairs = _first_pairs(source, training.validation_sentences)

    def validate(step: int) -> dict[str, float]:
        surprisal = perplexity(batches)
        scalars = {"perplexity_symbol": surprisal.perplexity(surprisal.symbols)}
        if pairs:
            sources, references = zip(*pairs, strict=True)
            answers = translate_all(translator.translate, sources)
            outputs = [answer.text for answer in answers]
            scalars |= scores(outputs, references)
            rows = list(zip(sources, outputs, references, strict=True))
            trainer.summaries.translations(step, rows[:SAMPLES])
            for i in range(PICTURES):
                if pictures and i < len(pairs) and answers[i].size:
                    frame = pictures.frame(sources[i], answers[i])
                    trainer.summaries.picture(f"alignment_{i + 1}", step, frame)
        return {k: v for k, v in scalars.items() if isinstance(v, float)}

    trainer = Trainer(
        network,
        Epochs(source, tokenizer, data, strategy),
        validate,
        training,
        directory.training_files,
        strategy,
    )
    summary = trainer.run(dataclasses.asdict(config), directory.init_weights(config))
    directory.write_summary(summary)
    return summary


def run_vocabulary(
    directory: RunDirectory,
    source: Source,
    config: VocabularyConfig,
    path: str,
    init_from: str = "",
) -> Vocabulary:
    """The vocabulary given, the run's own, that of `init_from`, or a new one."""
    if path:
        return Vocabulary.load(path)
    if init_from and not directory.exists():
        directory = RunDirectory(init_from)
    if init_from or directory.exists():
        return directory.read_vocabulary(directory.read_config())
    logging.info("building a vocabulary of the training data")
    counts = count_pieces(source.sentences("train"))
    vocabulary = Vocabulary.from_counts(
        counts.characters,
        counts.pieces,
        config.vocab_size,
        config.max_characters,
        config.min_count,
    )
    if not vocabulary.characters:
        raise InputError("the training data have no text; check --train_source")
    return vocabulary


def _first_pairs(source: Source, count: int) -> list[tuple[str, str]]:
    """The first validation pairs, as text."""
    if not count:
        return []
    pairs = source.dataset("validation").take(count).as_numpy_iterator()
    return [(a.decode("utf-8"), b.decode("utf-8")) for a, b in pairs]
