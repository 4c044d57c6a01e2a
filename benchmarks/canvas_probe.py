"""What the canvases of a model with a tape keep of the source, step by step."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from neural_gpu_tf.constants import GO, PAD
from neural_gpu_tf.layers import active_memory
from neural_gpu_tf.layers.canvas import active_cells, by_rows, column_mask
from neural_gpu_tf.models.active_memory_model import ActiveMemoryModel
from neural_gpu_tf.models.losses import cross_entropy
from neural_gpu_tf.models.tape_decoding import TapeDecoding

RIDGE = 1e-3
"""Weight of ‖W‖², as a share of the mean square of the columns."""


def has_tape(model: Any) -> bool:
    """Whether it decodes on a tape, with one set of weights for all steps."""
    on_a_tape = isinstance(model, ActiveMemoryModel) and isinstance(model, TapeDecoding)
    return on_a_tape and model.encoder.relaxations == 1


def canvases(
    model: Any, batch: dict[str, np.ndarray], tape: tf.GradientTape
) -> tuple[list[tf.Tensor], list[tf.Tensor], tf.Tensor]:
    """s_0 … s_n and d_0 … d_n, by rows and watched, and the mean loss of a symbol.

    Args:
        model: see `has_tape`.
        batch: examples of one size, with as many columns.
        tape: watches each.
    """
    source, target, size = (tf.constant(batch[k]) for k in ("source", "target", "size"))
    steps = source.shape[1]
    parts = model.parts()
    start = parts["canvas"](parts["padding"](parts["source_embedding"](source), source))
    mask = by_rows(column_mask(size, steps))
    units = model.encoder.units
    kernels, biases = (
        [one() for one in x]
        for x in zip(*[(u.kernels, u.biases) for u in units], strict=True)
    )
    encoded = [by_rows(start) * mask]
    tape.watch(encoded[0])
    for t in range(steps):
        canvas, _, _ = active_memory.step(
            units, kernels, biases, encoded[-1], active_cells(mask, size, t)
        )
        tape.watch(canvas)
        encoded.append(canvas)
    state = model.decoder.start(by_rows(encoded[-1]), size)
    decoded, logits = [state.canvas], []
    tape.watch(state.canvas)
    previous = tf.concat([tf.fill([len(source), 1], GO), target[:, :-1]], axis=1)
    for t in range(steps):
        state, scores = model.step(state, previous[:, t], t)
        tape.watch(state.canvas)
        decoded.append(state.canvas)
        logits.append(scores)
    nats = cross_entropy(tf.stack(logits, axis=1), target)
    given = tf.cast(target != PAD, nats.dtype)
    loss = tf.reduce_sum(nats * given) / tf.reduce_sum(given)
    return encoded, decoded, loss


def gradient_norms(model: Any, batch: dict[str, np.ndarray]) -> dict[str, Any]:
    """‖∂L/∂s_t‖ and ‖∂L/∂d_t‖ over the batch, t = 0 … n.

    Args:
        model: see `has_tape`.
        batch: examples of one size.
    """
    with tf.GradientTape() as tape:
        encoded, decoded, loss = canvases(model, batch, tape)
    gradients = tape.gradient(loss, [*encoded, *decoded])
    norms = [float(f"{tf.norm(gradient):.3g}") for gradient in gradients]
    middle = len(encoded)
    columns, examples = int(batch["size"][0]), len(batch["size"])
    return {
        "size": columns,
        "examples": examples,
        "encoder": norms[:middle],
        "decoder": norms[middle:],
    }


def probe(model: Any, batches: Sequence[dict[str, np.ndarray]]) -> dict[str, float]:
    """The share of source symbols that a linear map finds in a column of a canvas.

    The map is fitted by ridge regression to E i_k, on every batch but each fifth, and
    tried on those; an answer is right if no vector of another symbol is nearer.

    Args:
        model: see `has_tape`.
        batches: each of one size.

    Returns:
        By place: "s_0", "s_n/4", "s_n/2", "s_n", "d_n/2", "d_n"; "most_frequent".
    """
    vectors = np.asarray(model.source_embedding.embeddings)
    columns: dict[str, list[np.ndarray]] = {}
    symbols, tried = [], []
    for number, batch in enumerate(batches):
        with tf.GradientTape() as tape:
            found = canvases(model, batch, tape)
        real = batch["source"] != PAD
        symbols.append(batch["source"][real])
        tried.append(np.full(real.sum(), number % 5 == 4))
        for place, state in _places(found[0], found[1]).items():
            canvas = by_rows(state).numpy()
            flat = canvas.reshape(*canvas.shape[:2], -1)
            columns.setdefault(place, []).append(flat[real])
    symbol, test = np.concatenate(symbols), np.concatenate(tried)
    shares = {
        place: _found(np.concatenate(x), vectors, symbol, test)
        for place, x in columns.items()
    }
    most = np.argmax(np.bincount(symbol[~test]))
    return shares | {"most_frequent": round(float(np.mean(symbol[test] == most)), 3)}


def _places(
    encoded: Sequence[tf.Tensor], decoded: Sequence[tf.Tensor]
) -> dict[str, tf.Tensor]:
    """The canvases that are probed, by name."""
    steps = len(encoded) - 1
    return {
        "s_0": encoded[0],
        "s_n/4": encoded[round(steps / 4)],
        "s_n/2": encoded[round(steps / 2)],
        "s_n": encoded[steps],
        "d_n/2": decoded[round(steps / 2)],
        "d_n": decoded[steps],
    }


def _found(
    columns: np.ndarray, vectors: np.ndarray, symbol: np.ndarray, test: np.ndarray
) -> float:
    """The share of test symbols found by the map that is fitted to the others."""
    x = np.concatenate([columns, np.ones((len(columns), 1))], axis=1).astype(np.float64)
    fit, target = x[~test], vectors[symbol[~test]]
    square = fit.T @ fit
    square += RIDGE * np.trace(square) / len(square) * np.eye(len(square))
    answers = x[test] @ np.linalg.solve(square, fit.T @ target)
    distances = (vectors**2).sum(1) - 2 * answers @ vectors.T
    return round(float(np.mean(distances.argmin(1) == symbol[test])), 3)
