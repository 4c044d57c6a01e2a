"""The Hybrid Neural GPU's equations in NumPy, one example at a time, for tests.

The equations are those in the docstring of `AttentiveDecoder`.
"""

import numpy as np
import oracles
import oracles_recurrent


def decoder(s, vectors, weights, cutoff=1.2):
    """What is read of every d_{t+1}, and every α_t, from s_n [n, w, m]."""
    d, p = s, np.zeros_like(s)
    readouts, looked = [], []
    for t, vector in enumerate(vectors[: len(s)]):
        read, alpha = oracles_recurrent.attention(d[t, 0], s[:, 0], weights.attention)
        p[t, 0] = read @ weights.R
        for unit in weights.units:
            d = oracles.tape_cgru(d, p, unit, cutoff)
        readouts.append(d[t, 0])
        looked.append(alpha)
        p[t, 0] += vector
    return np.array(readouts), np.array(looked)


def hybrid_neural_gpu(source, target, model, width, cutoff=1.2):
    """Logits [n, vocabulary] and α [n, n] of one example, source and target [n]."""
    weights = oracles.model_weights(model)
    s = oracles.embed(source, weights.E, width)
    s = oracles.encoder(s, weights.encoder, cutoff)
    own = decoder_weights(model.decoder)
    readouts, looked = decoder(s, weights.E1[target], own, cutoff)
    return readouts @ weights.O, looked


def decoder_weights(layer):
    named = oracles_recurrent.SimpleNamespace()
    named.units = [oracles.unit_weights(unit) for unit in layer.units]
    named.attention = oracles_recurrent.attention_weights(layer.attention)
    named.R = np.asarray(layer.read_kernel, "float64")
    return named
