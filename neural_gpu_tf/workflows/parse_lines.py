"""Parses lines of words by a trained run."""

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from absl import logging

from neural_gpu_tf.configuration import check_at_least
from neural_gpu_tf.decoding import Constrained
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.inference import FaultyLines, Translator, translate_all
from neural_gpu_tf.parsing import (
    BracketConstraint,
    Tree,
    from_pairs,
    is_tree,
    read_words,
)
from neural_gpu_tf.runs import load_run, load_size_predictor

_WHERE = "standard input"


def parse_lines(
    run_dir: str | os.PathLike[str],
    lines: Iterable[str],
    decoding: Mapping[str, Any] | None = None,
    constrained: bool = True,
) -> Iterator[Tree]:
    """A tree for each line, by a run that was trained on trees.

    A line that is empty or too long gets the tree (); so does one for which no tree
    over its words came out. All lines too long, and all of these, are told in one
    warning each.

    Args:
        run_dir: the run.
        lines: as `parsing.spell_words` writes them; read once the run is loaded.
        decoding: options of `DecodingConfig` that differ from the run's.
        constrained: only trees can come out, with each word once; all canvas sizes are
            tried where the run has predicted ones of its own.

    Raises:
        InputError: something is missing or damaged, a line is not spelled so, or
            `size_margin` has no room for a tree.
    """
    run = load_run(run_dir)
    decoding = decoding or {}
    options = run.config.decoding.changed(decoding)
    model = run.model
    if constrained:
        if options.sizes == "predicted" and not {"sizes", "tried_sizes"} & {*decoding}:
            # Fitted without the constraint, whose trees may want larger canvases.
            logging.info("all canvas sizes are tried; --sizes=predicted: the likeliest")
            options = options.changed({"sizes": "all"})
        constraint = BracketConstraint(run.vocabulary.symbols)
        check_at_least("size_margin", options.size_margin, 3)  # root, its end, EOS
        model = Constrained(model, constraint)
    sizes = load_size_predictor(run, options)
    translator = Translator(model, run.tokenizer, options, size_predictor=sizes)
    sources = list(lines)
    _empty(
        sources,
        translator.too_long(np.array(sources, object)),
        "longer than --max_source_length symbols; no tree of its own",
    )
    words = _words(sources)  # before any time is spent on them
    outputs = [answer.text for answer in translate_all(translator.translate, sources)]
    pairs = zip(outputs, words, strict=True)
    # Under the constraint too, on a canvas without room for one.
    wrong = [not is_tree(output, said) for output, said in pairs]
    _empty(outputs, wrong, "no tree over its words came out")
    return from_pairs(sources, outputs, "standard output")


def _words(sources: Iterable[str]) -> list[list[str]]:
    """The words of each line."""
    try:
        return [read_words(x, f"{_WHERE}:{n}") for n, x in enumerate(sources, 1)]
    except InputError as error:
        raise InputError(f"{error}, or give --plain") from error


def _empty(lines: list[str], wrong: Iterable[bool], what: str) -> None:
    """Empties the lines that are wrong, and warns of all of them at once."""
    faulty = FaultyLines()
    for number, bad in enumerate(wrong, 1):
        faulty.count(number, bad)
        if bad:
            lines[number - 1] = ""
    faulty.warn(_WHERE, what)
