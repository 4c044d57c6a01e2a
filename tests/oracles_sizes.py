"""Predicted canvas sizes in plain NumPy, one source at a time."""

import math

import numpy as np


def features(canvas):
    """The first column beside the mean of all: canvas [n, w, m] → [2wm]."""
    columns = canvas.reshape(len(canvas), -1).astype(np.float64)
    return np.concatenate([columns[0], columns.mean(0)])


def log_p(canvas, kernel, bias):
    """log softmax_j(W h + b_n): kernel [2wm, j], bias [longest + 1, j] → [j]."""
    logits = features(canvas) @ kernel + bias[min(len(canvas), len(bias) - 1)]
    return logits - np.log(np.exp(logits).sum())


def likeliest(log_p, length, most, ratio, margin):
    """The `most` likeliest sizes from |source| to ratio |source| + margin, sorted."""
    if not length:
        return []
    legal = [
        (-value, length + more)
        for more, value in enumerate(log_p)
        if length + more <= math.floor(ratio * length) + margin
    ]
    return sorted(size for _, size in sorted(legal)[:most])
