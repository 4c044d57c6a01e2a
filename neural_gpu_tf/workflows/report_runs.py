"""A report that compares trained runs."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from absl import logging

from neural_gpu_tf.configuration import check_at_least
from neural_gpu_tf.data import TextFiles, read_pairs
from neural_gpu_tf.decoding import SizePredictor
from neural_gpu_tf.evaluation.evaluate import translate_and_evaluate
from neural_gpu_tf.evaluation.read_scalars import read_scalars
from neural_gpu_tf.evaluation.report import make_report_directory, write_report
from neural_gpu_tf.evaluation.report_tables import ReportedModel
from neural_gpu_tf.options import DecodingConfig
from neural_gpu_tf.runs.load import Run, load_run
from neural_gpu_tf.runs.load_size_predictor import load_size_predictor
from neural_gpu_tf.runs.run_directory import RunDirectory
from neural_gpu_tf.runs.run_names import run_names


def report_runs(
    run_dirs: Sequence[str | os.PathLike[str]],
    source: str,
    target: str,
    out: str | os.PathLike[str],
    decoding: Mapping[str, Any] | None = None,
    bucket_words: int = 10,
) -> Path:
    """Translates with each run and writes a report; see `write_report`.

    Whatever can be wrong is found before the first sentence is translated.

    Args:
        run_dirs: the runs of translation models, at least one, each once; the others
            are compared with the first.
        source: a file of sentences, plain or .gz.
        target: a file of their references, line by line.
        out: the report's directory.
        decoding: options of `DecodingConfig` that differ from those of the runs.
        bucket_words: source lengths in a bucket.

    Returns:
        The path of the page.

    Raises:
        InputError: something is missing, damaged or does not match.
    """
    check_at_least("bucket_words", bucket_words, 1)
    pairs = TextFiles({"test": (source, target)}).dataset("test")
    sources, references = read_pairs(pairs)
    names = run_names(run_dirs)
    runs = [load_run(path) for path in run_dirs]
    configs = [r.config.decoding.changed(decoding or {}) for r in runs]
    predictors = [
        load_size_predictor(*each) for each in zip(runs, configs, strict=True)
    ]
    make_report_directory(out)
    models = [
        _reported(*each, sources, references)
        for each in zip(names, runs, configs, predictors, strict=True)
    ]
    files = source, target
    return write_report(out, models, sources, references, files, bucket_words)


def _reported(
    name: str,
    run: Run,
    config: DecodingConfig,
    predictor: SizePredictor | None,
    sources: Sequence[str],
    references: Sequence[str],
) -> ReportedModel:
    """What the report tells of one run."""
    logging.info("%s: translating %d sentences", name, len(sources))
    translations, scores = translate_and_evaluate(
        *(run.model, run.tokenizer, config, sources, references),
        *(run.config.data, predictor),
    )
    return ReportedModel(
        name,
        run.config.model.model,
        run.model.count_params(),
        scores,
        config,
        translations,
        read_scalars(RunDirectory(run.path).events),
    )
