"""From a configuration to a trained run."""

import dataclasses
import functools
import os
import sys
from collections.abc import Sequence

import keras
import tensorflow as tf
from absl import logging

from neural_gpu_tf import text
from neural_gpu_tf.data import (
    Source,
    check_fills_a_batch,
    evaluation_batches,
    open_source,
    read_pairs,
)
from neural_gpu_tf.decoding import check_beam, check_coverage, check_predictor
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.evaluation import AlignmentPictures, Perplexity, scores
from neural_gpu_tf.inference import Translation, Translator, translate_all
from neural_gpu_tf.models import MODELS
from neural_gpu_tf.options import (
    DataConfig,
    DecodingConfig,
    ModelConfig,
    TrainingConfig,
    VocabularyConfig,
)
from neural_gpu_tf.pretrained_models import run_or_pretrained
from neural_gpu_tf.runs.config import RunConfig
from neural_gpu_tf.runs.first_weights import load_first_weights
from neural_gpu_tf.runs.run_directory import RunDirectory
from neural_gpu_tf.text import Vocabulary, count_pieces
from neural_gpu_tf.training.distribution import distribution
from neural_gpu_tf.training.epochs import Epochs
from neural_gpu_tf.training.new_model import new_model
from neural_gpu_tf.training.summaries import Summaries
from neural_gpu_tf.training.trainer import Trainer
from neural_gpu_tf.training.validation import Judge
from neural_gpu_tf.training.workers import Workers

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
    """Trains a translation model, or resumes.

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
        WorkerLost: another worker did not come, or has gone.
    """
    check_predictor(decoding, None)  # there is a model to fit one to only later
    where = {"run_dir": os.fspath(run_dir), "vocab": vocabulary_path}
    options = data, model, decoding, vocabulary
    directory = RunDirectory(run_dir)
    with distribution(training, *options, **where) as (strategy, workers):
        source = open_source(data)
        for split in ("train", "validation"):
            logging.info("%s: %s", split, source.describe(split))
        symbols = run_vocabulary(
            directory, source, vocabulary, vocabulary_path, training.init_from
        )
        known = symbols.fingerprint()
        config = RunConfig(data, model, training, decoding, len(symbols), known)
        files = source.fingerprints()
        workers.check_same(files | {"vocabulary": known}, "give all the same files")
        tokenizer = text.SpellOutTokenizer(symbols)
        if not directory.exists():  # raises before anything is written
            check_beam(decoding.beam, len(symbols))
            attends = MODELS[model.model].attends
            check_coverage(decoding.coverage_penalty, attends)
            read_pairs(source.dataset("validation"), "validation")
            replicas = strategy.num_replicas_in_sync
            check_fills_a_batch(source, tokenizer, data, replicas)
        workers.from_chief(directory.begin, config, command, symbols, files)
        summary = _train(directory, config, source, tokenizer, strategy, workers)
        workers.from_chief(directory.write_summary, summary)
    return summary


def _train(
    directory: RunDirectory,
    config: RunConfig,
    source: Source,
    tokenizer: text.SpellOutTokenizer,
    strategy: tf.distribute.Strategy,
    workers: Workers,
) -> dict[str, float]:
    """Trains or resumes the run that a directory has begun."""
    training = config.training
    seed, precision = training.training_seed, training.precision
    count = config.vocabulary_size
    network = new_model(config.model, count, seed, strategy, precision)
    batches = Epochs(source, tokenizer, config.data, strategy)
    validation = _Validation(network, tokenizer, source, config)
    files, judge = directory.training_files, Judge(validation)
    trainer = Trainer(network, batches, judge, training, files, strategy, workers)
    validation.summaries = trainer.summaries
    initialize = functools.partial(load_first_weights, config)
    return trainer.run(dataclasses.asdict(config), initialize)


class _Validation:
    """Perplexity on the validation data; scores and samples of their first sentences.

    Args:
        network: the model that is trained.
        tokenizer: text to symbols.
        source: the data.
        config: the run's options.
    """

    def __init__(
        self,
        network: keras.Model,
        tokenizer: "text.SpellOutTokenizer",
        source: Source,
        config: RunConfig,
    ):
        self.summaries: Summaries | None = None
        self.translator = Translator(network, tokenizer, config.decoding)
        self.pictures = AlignmentPictures(self.translator) if network.aligns else None
        self.perplexity = Perplexity(network)
        self.batches = evaluation_batches(source, tokenizer, config.data)
        self.pairs = _first_pairs(source, config.training.validation_sentences)

    def __call__(self, step: int) -> dict[str, float]:
        surprisal = self.perplexity(self.batches)
        scalars = {"perplexity_symbol": surprisal.perplexity(surprisal.symbols)}
        if self.pairs:
            sources, references = zip(*self.pairs, strict=True)
            answers = translate_all(self.translator.translate, sources)
            outputs = [answer.text for answer in answers]
            scalars |= scores(outputs, references)
            if self.summaries:
                rows = list(zip(sources, outputs, references, strict=True))
                self.summaries.translations(step, rows[:SAMPLES])
                self._draw(self.summaries, step, sources, answers)
        return {k: v for k, v in scalars.items() if isinstance(v, float)}

    def _draw(
        self,
        summaries: Summaries,
        step: int,
        sources: Sequence[str],
        answers: Sequence[Translation],
    ) -> None:
        """The first alignments, of a model that has any."""
        for i, answer in enumerate(answers[:PICTURES]):
            if self.pictures and answer.size:
                frame = self.pictures.frame(sources[i], answer)
                summaries.picture(f"alignment_{i + 1}", step, frame)


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
        directory = RunDirectory(run_or_pretrained(init_from))
        if task := directory.read_config().task.task:
            raise InputError(
                f"init_from={init_from}: a run of task={task}, not of translation; "
                "name another, or leave it out"
            )
    if init_from or directory.exists():
        logging.info("vocabulary: %s", directory.vocabulary)  # not by new --vocab_size
        return directory.read_vocabulary(directory.read_config())
    logging.info("building a vocabulary of the training data")
    counts = count_pieces(source.sentences("train"))
    vocabulary = Vocabulary.from_counts(*counts, *dataclasses.astuple(config))
    if not counts.characters:
        raise InputError("the training data have no text; check --train_source")
    return vocabulary


def _first_pairs(source: Source, count: int) -> list[tuple[str, str]]:
    """The first validation pairs, as text."""
    if not count:
        return []
    pairs = source.dataset("validation").take(count).as_numpy_iterator()
    return [(a.decode("utf-8"), b.decode("utf-8")) for a, b in pairs]
