"""The pooled Neural GPU's equations in NumPy, one example at a time, for tests.

The equations are those in the docstrings of `PooledDecoder` and `PooledNeuralGPU`.
"""

import numpy as np
import oracles


def array(weight):
    return np.asarray(weight, "float64")


def convolve(s, kernel):
    """s [n, m], kernel [kn, 1, m, m'], zeros beyond both ends."""
    half = kernel.shape[0] // 2
    out = np.zeros((len(s), kernel.shape[-1]))
    for k in range(len(s)):
        for i in range(kernel.shape[0]):
            if 0 <= k + i - half < len(s):
                out[k] += s[k + i - half] @ kernel[i, 0]
    return out


def cgru(s, unit, terms):
    """CGRU(s; terms), the terms [n, 3m] in place of the biases."""
    m = s.shape[1]
    gates = convolve(s, array(unit.update_and_reset_kernel)) + terms[:, : 2 * m]
    gates = oracles.cutoff_gate(gates, unit.cutoff)
    u, r = gates[:, :m], gates[:, m:]
    candidate = convolve(r * s, array(unit.candidate_kernel)) + terms[:, 2 * m :]
    return u * s + (1 - u) * np.tanh(candidate)


def biases(unit):
    parts = unit.update_and_reset_bias, unit.candidate_bias
    return np.concatenate([array(part) for part in parts])


def decoder(x, vectors, layer):
    """r_t [T, m] and who won [T, m], from s_l [n, m] and y_{-1} … [T, e]."""
    terms = biases(layer.unit) + x @ array(layer.memory_kernel)
    d, r, values, winners = x, np.zeros(x.shape[1]), [], []
    for y in vectors:
        told = np.concatenate([y, r]) @ array(layer.input_kernel)
        d = cgru(d, layer.unit, terms + told)
        seen = d @ array(layer.readout_kernel) + array(layer.readout_bias)
        r = seen.max(axis=0)
        values.append(r)
        winners.append(seen.argmax(axis=0))
    return np.array(values), np.array(winners)


def pooled_neural_gpu(source, target, model):
    """Logits [n, vocabulary] and who won [n, m], of one example [n] each."""
    s = array(model.source_embedding.embeddings)[source]
    s = s @ array(model.projection.kernel) + array(model.projection.bias)
    for unit in model.encoder.units:
        s = cgru(s, unit, np.tile(biases(unit), (len(s), 1)))
    before = np.concatenate([[1], target[:-1]])  # GO
    y = array(model.target_embedding.embeddings)[before]
    r, winners = decoder(s, y, model.decoder)
    seen = np.concatenate([r, y], axis=1)
    hidden = np.tanh(seen @ array(model.hidden.kernel) + array(model.hidden.bias))
    return hidden @ array(model.readout.kernel) + array(model.readout.bias), winners
