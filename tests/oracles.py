"""The equations of the papers in NumPy, one example at a time, for tests.

Nothing here knows of batches, masks or Keras: an example has exactly n columns, a
convolution is four loops, the tape is a canvas that is written column by column.
Canvases are [n, w, m], kernels [kn, kw, m, m'].

The equations: Kaiser & Sutskever 2016, "Neural GPUs Learn Algorithms" (KS),
Kaiser & Bengio 2016, "Can Active Memory Replace Attention?" (KB), and Freivalds &
Liepins 2017, "Improving the Neural GPU Architecture for Algorithm Learning" (FL).
"""

from types import SimpleNamespace

import numpy as np


def cutoff_gate(x, cutoff=1.2):
    """KS §3: σ'(x) = max(0, min(1, 1.2 σ(x) - 0.1)); c = 1: σ(x)."""
    sigmoid = 1 / (1 + np.exp(-np.asarray(x, "float64")))
    return np.maximum(0, np.minimum(1, cutoff * sigmoid - (cutoff - 1) / 2))


def convolve(s, kernel):
    """KS §2: (U * s)[x, y] = Σ_{i, j} s[x + i, y + j] U[i, j], the kernel centred."""
    n, w = s.shape[:2]
    kn, kw = kernel.shape[:2]
    result = np.zeros((n, w, kernel.shape[3]))
    for x in range(n):
        for y in range(w):
            for i in range(kn):
                for j in range(kw):
                    column, row = x + i - kn // 2, y + j - kw // 2
                    if 0 <= column < n and 0 <= row < w:
                        result[x, y] += s[column, row] @ kernel[i, j]
    return result


def cgru(s, k, cutoff=1.2):
    """KS eq. 1, `k` having the kernels U, U1 (U'), U2 (U'') and the biases."""
    u = cutoff_gate(convolve(s, k.U1) + k.B1, cutoff)
    r = cutoff_gate(convolve(s, k.U2) + k.B2, cutoff)
    return u * s + (1 - u) * np.tanh(convolve(r * s, k.U) + k.B)


def diagonal_cgru(s, k):
    """FL §3: DCGRU(s), a third of the maps moved on, a third moved back."""
    u = np.clip((convolve(s, k.U1) + k.B1 + 1) / 2, 0, 1)
    r = np.clip((convolve(s, k.U2) + k.B2 + 1) / 2, 0, 1)
    new = np.clip(convolve(r * s, k.U) + k.B, -1, 1)
    n, _, m = s.shape
    moved = np.zeros_like(s)
    for column in range(n):
        for i in range(m):
            step = 0 if i < m - 2 * (m // 3) else -1 if i < m - m // 3 else 1
            if 0 <= column + step < n:
                moved[column, :, i] = s[column + step, :, i]
    return u * moved + (1 - u) * new


def saturation(s, k, limit=0.9):
    """FL §3: Σ max(0, |x| - limit) over the arguments of all nonlinearities."""
    x = [convolve(s, k.U1) + k.B1, convolve(s, k.U2) + k.B2]
    r = np.clip((x[1] + 1) / 2, 0, 1)
    x.append(convolve(r * s, k.U) + k.B)
    return sum(np.maximum(0, abs(y) - limit).sum() for y in x)


def tape_cgru(s, p, k, cutoff=1.2):
    """KB §2.2: CGRU^d(s, p)."""
    u = cutoff_gate(convolve(s, k.U1) + convolve(p, k.W1) + k.B1, cutoff)
    r = cutoff_gate(convolve(s, k.U2) + convolve(p, k.W2) + k.B2, cutoff)
    new = np.tanh(convolve(r * s, k.U) + convolve(p, k.W) + k.B)
    return u * s + (1 - u) * new


def residual(s, k, p=None):
    """KB: s + U * s, with a tape s + U * s + W * p."""
    new = s + convolve(s, k.U)
    return new if p is None else new + convolve(p, k.W)


def residual_neural_gpu(source, target, weights, width):
    """KB §2: logits [n, vocabulary] of one example, source and target [n]."""
    d = embed(source, weights.E, width)
    for _ in source:
        for unit in weights.encoder:
            d = residual(d, unit)
    p, logits = np.zeros_like(d), []
    for t, symbol in enumerate(target):
        for unit in weights.decoder:
            d = residual(d, unit, p)
        logits.append(d[t, 0] @ weights.O)
        p[t, 0] = weights.E1[symbol]
    return np.array(logits)


def embed(symbols, embeddings, width):
    """KS §2: s_0[k, 0] = E[i_k], all other cells 0; E[PAD] = 0."""
    s = np.zeros((len(symbols), width, embeddings.shape[1]))
    for k, symbol in enumerate(symbols):
        s[k, 0] = embeddings[symbol] * (symbol != 0)
    return s


def encoder(s, units, cutoff=1.2):
    """KS §2: s_{t+1} = CGRU_l(… CGRU_1(s_t) …), n times."""
    for _ in range(len(s)):
        for unit in units:
            s = cgru(s, unit, cutoff)
    return s


def diagonal_encoder(s, units):
    """FL §3: the last canvas, and the saturation over n²."""
    n = len(s)
    cost = n * np.maximum(0, abs(s) - 0.9).sum()
    s = np.clip(s, -1, 1)
    for _ in range(n):
        for unit in units:
            cost += saturation(s, unit)
            s = diagonal_cgru(s, unit)
    return s, cost / n**2


def decoder(d, vectors, units, cutoff=1.2):
    """KB §2.2: every d_{t+1}, and what is read of it, d_{t+1}[t, 0]."""
    p = np.zeros_like(d)
    canvases, readouts = [], []
    for t in range(len(d)):
        for unit in units:
            d = tape_cgru(d, p, unit, cutoff)
        canvases.append(d)
        readouts.append(d[t, 0])
        p = p.copy()
        p[t, 0] = vectors[t]
    return np.array(canvases), np.array(readouts)


def neural_gpu(source, weights, width, cutoff=1.2):
    """KS §2: logits [n, vocabulary] of one example, source [n]."""
    s = encoder(embed(source, weights.E, width), weights.encoder, cutoff)
    return s[:, 0] @ weights.O


def markovian_neural_gpu(source, target, weights, width, cutoff=1.2):
    """KB §2.1: logits [n, vocabulary] of one example, source and target [n]."""
    s = encoder(embed(source, weights.E, width), weights.encoder, cutoff)
    before = weights.E1[[1, *target[:-1]]]  # GO, then the symbols
    return np.concatenate([s[:, 0], before], axis=1) @ weights.O


def extended_neural_gpu(source, target, weights, width, cutoff=1.2):
    """KB §2.2: logits [n, vocabulary] of one example, source and target [n]."""
    d = encoder(embed(source, weights.E, width), weights.encoder, cutoff)
    _, readouts = decoder(d, weights.E1[target], weights.decoder, cutoff)
    return readouts @ weights.O


def unit_weights(unit):
    """The weights of a unit, by the names of the equations."""

    def parts(variable, *names):
        arrays = np.split(np.asarray(variable, "float64"), len(names), axis=-1)
        return dict(zip(names, arrays, strict=True))

    if not hasattr(unit, "candidate_kernel"):
        named = parts(unit.kernel, "U")
        if hasattr(unit, "tape_kernel"):
            named |= parts(unit.tape_kernel, "W")
        return SimpleNamespace(**named)
    named = {
        **parts(unit.update_and_reset_kernel, "U1", "U2"),
        **parts(unit.candidate_kernel, "U"),
        **parts(unit.update_and_reset_bias, "B1", "B2"),
        **parts(unit.candidate_bias, "B"),
    }
    if hasattr(unit, "tape_kernel"):
        named |= parts(unit.tape_kernel, "W1", "W2", "W")
    return SimpleNamespace(**named)


def model_weights(model):
    """The weights of a Neural GPU, extended or not, by the names of the equations."""
    named = SimpleNamespace(
        E=np.asarray(model.source_embedding.embeddings, "float64"),
        O=np.asarray(model.readout.kernel, "float64"),
        encoder=[unit_weights(unit) for unit in model.encoder.units],
    )
    if hasattr(model, "target_embedding"):
        named.E1 = np.asarray(model.target_embedding.embeddings, "float64")
    if hasattr(model, "decoder"):
        named.decoder = [unit_weights(unit) for unit in model.decoder.units]
    return named


def randomize(layer, seed=0, scale=0.4):
    """Gives every weight of a built layer, biases too, normal random numbers."""
    rng = np.random.default_rng(seed)
    for weight in layer.trainable_weights:
        weight.assign(scale * rng.standard_normal(weight.shape))
    return layer


def ragged_canvas(sizes, columns, width, maps, seed=0, dtype="float32"):
    """A random batch of canvases [batch, n, w, m], zero in columns k ≥ n_b."""
    rng = np.random.default_rng(seed)
    canvas = rng.standard_normal((len(sizes), columns, width, maps))
    exists = np.arange(columns) < np.array(sizes)[:, None]
    return (canvas * exists[:, :, None, None]).astype(dtype)
