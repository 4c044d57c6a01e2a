"""The best beam and penalties for a trained run."""

import itertools
import os
import time
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import tensorflow as tf
from absl import logging

from neural_gpu_tf.configuration import check_at_least
from neural_gpu_tf.data import TextFiles, read_pairs
from neural_gpu_tf.decoding import check_beam
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.evaluation import scores
from neural_gpu_tf.inference import translate_all
from neural_gpu_tf.runs.load import Run, load_run, own_source
from neural_gpu_tf.runs.run_directory import RunDirectory
from neural_gpu_tf.runs.run_translator import run_translator

SPLIT = "validation"


class Trial(NamedTuple):
    """How well one way to decode did."""

    beam: int
    length_penalty: float
    coverage_penalty: float
    bleu: float
    chrf: float
    exact_match: float
    seconds: float  # of translating, without tracing

    @property
    def options(self) -> dict[str, float]:
        """What was tried, by the names of `DecodingConfig`."""
        return dict(zip(self._fields[:3], self, strict=False))


def tune_decoding(
    run_dir: str | os.PathLike[str],
    source: str = "",
    target: str = "",
    beams: Sequence[int] = (1, 2, 4, 12),
    length_penalties: Sequence[float] = (0.0, 0.6, 1.0),
    coverage_penalties: Sequence[float] = (0.0, 0.2),
    sentences: int = 500,
) -> list[Trial]:
    """Translates in all ways of a grid, and makes the best one the run's default.

    The best has the highest BLEU; of equals the narrowest beam, then the lowest α, then
    the lowest β (`decoding.beam_search`). It is written to decoding.json in the run
    directory, whose options stand for those of config.json from now on, where no flag
    is given; an `n_best` of the run beyond its beam is lowered to it. A model without
    attention is tried with β = 0 alone. Where one hypothesis is all there is (a beam of
    1, and one canvas only), no penalty decides anything, and none but 0 is tried.

    Args:
        run_dir: the run.
        source: a file of sentences, plain or .gz; "" for the run's validation data.
        target: a file of their references, line by line.
        beams: k to try.
        length_penalties: α to try.
        coverage_penalties: β to try.
        sentences: how many to translate, the first ones; 0: all.

    Returns:
        The trials, the best first.

    Raises:
        InputError: something is missing, damaged or not legal.
    """
    if bool(source) != bool(target):
        raise InputError("--source and --target: give both, or neither")
    check_at_least("sentences", sentences, 0)
    run = load_run(run_dir)
    files = TextFiles({SPLIT: (source, target)}) if source else None
    pairs = (files or own_source(run, SPLIT)).dataset(SPLIT)
    sources, targets = read_pairs(pairs.take(sentences or -1))
    betas = coverage_penalties if run.model.attends else (0.0,)
    sized = run.model.sized
    grid = sorted(set(_grid(beams, length_penalties, betas, sized)))
    logging.info("translating %d sentences in %d ways", len(sources), len(grid))
    names = Trial._fields[:3]
    trials = []
    for values in grid:  # before the first, which may take hours
        run.config.decoding.changed(
            {**dict(zip(names, values, strict=True)), "n_best": 1}
        )
        check_beam(values[0], run.config.vocabulary_size)
    for values in grid:
        options: dict[str, Any] = dict(zip(names, values, strict=True))
        trials.append(_trial(run, options, sources, targets))
    trials.sort(key=lambda trial: (-trial.bleu, *trial[:3]))
    best = trials[0].options
    if run.config.decoding.n_best > trials[0].beam:
        best["n_best"] = trials[0].beam
    RunDirectory(run_dir).write_decoding(best)
    return trials


def _trial(
    run: Run, options: dict[str, Any], sources: Sequence[str], targets: Sequence[str]
) -> Trial:
    """The scores and the time of translating in one way."""
    translator = run_translator(run, {**options, "n_best": 1})
    translator.translate(tf.constant([], tf.string))  # traces
    start = time.perf_counter()
    answers = translate_all(translator.translate, sources)
    seconds = time.perf_counter() - start
    result = scores([answer.text for answer in answers], targets)
    found = {name: result[name] for name in ("bleu", "chrf", "exact_match")}
    logging.info("BLEU %.2f  %s  %.1f s", found["bleu"], options, seconds)
    return Trial(**options, **found, seconds=seconds)


def _grid(
    beams: Sequence[int],
    alphas: Sequence[float],
    betas: Sequence[float],
    sized: bool,
) -> Iterator[tuple[int, float, float]]:
    """The combinations that differ; see `tune_decoding`."""
    for beam, alpha, beta in itertools.product(beams, alphas, betas):
        if beam > 1 or sized:
            yield beam, alpha, beta
        else:
            yield beam, 0.0, 0.0
