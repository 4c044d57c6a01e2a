"""Fits what predicts the canvas sizes of a trained run."""

import itertools
import os
from typing import Any, NamedTuple

import keras
import numpy as np
import tensorflow as tf
from absl import logging

from neural_gpu_tf.configuration import check_at_least
from neural_gpu_tf.decoding import SizePredictor
from neural_gpu_tf.decoding.compare_sizes import compare_sizes
from neural_gpu_tf.decoding.size_search import candidate_sizes
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.files import replacing
from neural_gpu_tf.models import SizeReadout
from neural_gpu_tf.options import DecodingConfig
from neural_gpu_tf.runs.load import Run, load_run, own_source
from neural_gpu_tf.runs.load_size_predictor import weights_fingerprint
from neural_gpu_tf.runs.run_directory import RunDirectory
from neural_gpu_tf.text import read_lines

SPLIT = "train"
_AT_ONCE = 128  # sources that are decoded together
_HELD_OUT = 10  # every tenth source
_ENOUGH = 100  # held-out sources, to tell a share near 1 by
_LEAST_SAME = 0.999  # of them, for what loses nothing
_TELL = (1, 2, 3, 4, 8)
_STEPS, _LOOK_EVERY, _PATIENCE = 1_000, 20, 5


class _Sizes(NamedTuple):
    """Sources, and how good the sizes |source|, |source| + 1, … are for them."""

    features: np.ndarray  # float32 [sources, 2wm]
    length: np.ndarray  # int32 [sources]
    share: np.ndarray  # float32 [sources, choices]
    agrees: np.ndarray  # bool [sources, choices]


def fit_sizes(
    run_dir: str | os.PathLike[str],
    source: str = "",
    examples: int = 5_000,
    length_alone: bool = False,
) -> dict[str, Any]:
    """Fits a `SizePredictor` to a trained run, and writes it into the run directory.

    The model stays as it is. It decodes sources on all sizes, and the readout's weights
    θ minimize the mean of

        -Σ_n q(n | source) log p_θ(n | source)

    where q is the share that a size's output has of the probability of all their
    outputs (`compare_sizes`): what the search ranks sizes by. (Adam on all sources at
    once, until the mean over every tenth, held out, falls no more.)

    If a few predicted sizes lose nothing, they become the run's default, by
    decoding.json: the fewest, k, on which 99.9% of the held-out sources, 100 at least,
    have the output that they have on all sizes.

    Args:
        run_dir: the run.
        source: a file of sentences, plain or .gz; "" for the run's training data.
        examples: how many of them to read at most, the first ones.
        length_alone: p_θ follows from the length alone, not from the canvas too
            (Kaiser & Bengio 2016, who lose 0.3 BLEU by it).

    Returns:
        "examples", sources fitted to; "held_out", sources measured on; "nats", the mean
        above over the latter; "same", by k the share of them whose output on the k
        likeliest sizes is that on all sizes; and "default", the k that is tried by
        default from now on, or None.

    Raises:
        InputError: something is missing or damaged, the model depends on no canvas, or
            there are too few sources.
    """
    check_at_least("examples", examples, _HELD_OUT)
    run = load_run(run_dir)
    readout = _new_readout(run)
    texts = _texts(run, source, examples)
    logging.info("decoding %d sources on all sizes", len(texts))
    sizes = _compared(run, SizePredictor(run.model, readout), texts)
    if length_alone:  # the features' weights, 0 at first, get no gradient
        sizes = sizes._replace(features=np.zeros_like(sizes.features))
    fitted, unseen = _held_apart(sizes)
    logging.info("fitting to %d of them", len(fitted.length))
    nats = _fit(readout, fitted, unseen)
    directory = RunDirectory(run_dir)
    with replacing(directory.size_predictor) as beside:
        readout.save(beside)
    same = {k: _same(readout, unseen, k, run.config.decoding) for k in _TELL}
    return {
        "examples": len(fitted.length),
        "held_out": len(unseen.length),
        "nats": nats,
        "same": same,
        "default": _make_default(directory, len(unseen.length), same),
    }


def _make_default(
    directory: RunDirectory, held_out: int, same: dict[int, float]
) -> int | None:
    """Writes decoding.json, if so few sizes lose nothing; returns how many.

    If they do now, and did not before, the run has its own sizes again.
    """
    enough = [k for k, share in same.items() if share >= _LEAST_SAME]
    if held_out >= _ENOUGH and enough:
        options = {"sizes": "predicted", "tried_sizes": min(enough)}
        directory.write_decoding(options)
        return min(enough)
    config = directory.read_config()
    if directory.read_decoding(config).sizes == "predicted":
        own = config.decoding
        directory.write_decoding({"sizes": own.sizes, "tried_sizes": own.tried_sizes})
    return None


def _new_readout(run: Run) -> SizeReadout:
    """What is fitted: of the features of the run's canvas, for its sources."""
    if not run.model.sized or not hasattr(run.model, "encode"):
        raise InputError(
            f"{run.path}: model={run.config.model.model} does not depend on a canvas "
            "size; name a run of a model that does"
        )
    symbol = np.ones([1, 1], np.int32)
    *_, width, maps = run.model.encode(symbol, symbol[0]).shape
    longest = run.config.decoding.max_source_length
    most = candidate_sizes(np.array([longest]), run.config.decoding, sized=False)
    return SizeReadout(
        features=2 * width * maps,
        choices=int(most[0, 0]) - longest + 1,
        longest=longest,
        fitted_to=weights_fingerprint(run.model),
    )


def _texts(run: Run, source: str, examples: int) -> list[bytes]:
    """What has symbols of the first sources of a file, or of the training data."""
    if source:
        lines = itertools.islice(read_lines(source), examples)
        texts = [line.encode() for line in lines]
    else:
        pairs = own_source(run, SPLIT).dataset(SPLIT).take(examples)
        texts = [text for text, _ in pairs.as_numpy_iterator()]
    symbols = run.tokenizer.tokenize(tf.constant(texts)).row_lengths().numpy()
    texts = [text for text, count in zip(texts, symbols, strict=True) if count]
    if len(texts) < _HELD_OUT:
        raise InputError(
            f"{source or run.path}: only {len(texts)} non-empty sources; "
            f"give at least {_HELD_OUT}"
        )
    return texts


def _compared(run: Run, predictor: SizePredictor, texts: list[bytes]) -> _Sizes:
    """Decodes the sources, similarly long ones together."""
    decoding = run.config.decoding

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)], autograph=False)
    def compare(text: tf.Tensor) -> tuple[tf.Tensor, ...]:
        symbols = run.tokenizer.tokenize(text)[:, : decoding.max_source_length]
        length = tf.cast(symbols.row_lengths(), tf.int32)
        source = tf.cast(symbols.to_tensor(), tf.int32)
        h = predictor.features(source, length, decoding.decode_cells)
        return h, length, *compare_sizes(run.model, source, length, decoding)

    texts = sorted(texts, key=len)
    found = []
    for start in range(0, len(texts), _AT_ONCE):
        h, length, share, agrees = (
            x.numpy() for x in compare(tf.constant(texts[start : start + _AT_ONCE]))
        )
        missing = [[0, 0], [0, predictor.readout.choices - share.shape[1]]]
        share, agrees = np.pad(share, missing), np.pad(agrees, missing)
        found.append([h, length, share, agrees])
    return _Sizes(*(np.concatenate(x) for x in zip(*found, strict=True)))


def _held_apart(sizes: _Sizes) -> tuple[_Sizes, _Sizes]:
    """What is fitted to, and the sources that are held out of it."""
    held = np.arange(len(sizes.length)) % _HELD_OUT == _HELD_OUT - 1
    fitted, unseen = (
        _Sizes(*(values[which] for values in sizes)) for which in (~held, held)
    )
    return fitted, unseen


def _fit(readout: SizeReadout, fitted: _Sizes, unseen: _Sizes) -> float:
    """Minimizes the cross entropy; returns the least one of the unseen sources."""
    optimizer = keras.optimizers.Adam(0.02)
    weights = readout.trainable_variables
    optimizer.build(weights)

    def cross_entropy(sizes: _Sizes) -> tf.Tensor:
        log_p = readout({"features": sizes.features, "length": sizes.length})
        return -tf.reduce_mean(tf.reduce_sum(sizes.share * log_p, axis=1))

    @tf.function(autograph=False)
    def descend() -> None:
        with tf.GradientTape() as tape:
            loss = cross_entropy(fitted)
        optimizer.apply(tape.gradient(loss, [w.value for w in weights]), weights)

    fitted, unseen = (
        _Sizes(*(tf.constant(x) for x in sizes)) for sizes in (fitted, unseen)
    )
    best, kept, since = np.inf, readout.get_weights(), 0
    for step in range(_STEPS):
        if step % _LOOK_EVERY == 0:
            nats = float(cross_entropy(unseen))
            since += 1
            if nats < best:
                best, kept, since = nats, readout.get_weights(), 0
            if since == _PATIENCE:
                break
        descend()
    readout.set_weights(kept)
    return best


def _same(
    readout: SizeReadout, sizes: _Sizes, tried: int, decoding: DecodingConfig
) -> float:
    """The share of sources whose output on so many sizes is that on all sizes.

    Where none of these outputs ended with EOS, each of them must be that one.
    """
    log_p = readout({"features": sizes.features, "length": sizes.length})
    more = decoding.largest_size(sizes.length) - sizes.length
    legal = np.arange(sizes.share.shape[1]) <= more[:, None]
    log_p = np.where(legal, log_p, -np.inf)
    likeliest = np.argsort(-log_p, axis=1, kind="stable")[:, :tried]
    rows = np.arange(len(likeliest))
    share, agrees, legal = (
        np.take_along_axis(x, likeliest, axis=1)
        for x in (sizes.share, sizes.agrees, legal)
    )
    winner = agrees[rows, np.argmax(share, axis=1)]
    # An output may be the right one that fills its canvas, where an EOS had no room.
    whichever = np.all(agrees | ~legal, axis=1)
    return float(np.mean(np.where(share.max(axis=1) > 0, winner, whichever)))
