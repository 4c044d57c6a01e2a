"""The recurrent models' equations in NumPy, one example at a time, for tests.

Nothing here knows of batches, masks or Keras: an example is a list of the symbols that
exist, a loop takes one of them after the other.

The equations: Cho et al. 2014 (C), Bahdanau et al. 2014 (B), Luong et al. 2015 (L),
Britz, Guan & Luong 2017 (F).
"""

from types import SimpleNamespace

import numpy as np
import oracles_pooled


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def softmax(x):
    e = np.exp(x - x.max())
    return e / e.sum()


def gru(x, state, k):
    """C §2.3; the reset gate is applied before U."""
    (h,) = state
    z = sigmoid(x @ k.Wz + h @ k.Uz + k.bz)
    r = sigmoid(x @ k.Wr + h @ k.Ur + k.br)
    return (z * h + (1 - z) * np.tanh(x @ k.W + (r * h) @ k.U + k.b),)


def lstm(x, state, k):
    h, c = state
    i = sigmoid(x @ k.Wi + h @ k.Ui + k.bi)
    f = sigmoid(x @ k.Wf + h @ k.Uf + k.bf)
    o = sigmoid(x @ k.Wo + h @ k.Uo + k.bo)
    c = f * c + i * np.tanh(x @ k.W + h @ k.U + k.b)
    return (o * np.tanh(c), c)


def cell(x, state, k):
    return lstm(x, state, k) if hasattr(k, "Wf") else gru(x, state, k)


def zero_state(k):
    units = k.U.shape[0]
    return (np.zeros(units),) * (2 if hasattr(k, "Wf") else 1)


def direction(xs, k):
    """All h_k in the order of `xs`, and the last state."""
    state, hs = zero_state(k), []
    for x in xs:
        state = cell(x, state, k)
        hs.append(state[0])
    return hs, state


def encoder(xs, weights):
    """B §3.2: the annotations h [n, d] of the last layer, and s_0 of each layer."""
    first = []
    bridges = iter(weights.bridges)
    for i, forward in enumerate(weights.forward):
        hs, state = direction(xs, forward)
        if weights.backward:
            others, other_state = direction(xs[::-1], weights.backward[i])
            hs = [np.concatenate(both) for both in zip(hs, others[::-1], strict=True)]
            both_states = [
                np.concatenate(x) for x in zip(state, other_state, strict=True)
            ]
            dense = [next(bridges) for _ in both_states]
            state = tuple(
                np.tanh(x @ k.W + k.b) for x, k in zip(both_states, dense, strict=True)
            )
        first.append(state)
        xs = hs
    return xs, first


def attention(query, rows, k):
    """B A.1.2, or L §3.1 if there is no v_a: c and α."""
    if hasattr(k, "lookup"):  # F §3: β from the query alone
        weights = k.scoring(query @ k.lookup)
        return sum(a * h for a, h in zip(weights, rows, strict=True)), weights
    if len(rows) == 0:
        return np.zeros(k.U.shape[0]), np.zeros(0)
    scores = []
    for h in rows:
        if hasattr(k, "v"):
            scores.append(np.tanh(query @ k.W + h @ k.U) @ k.v)
        else:
            scores.append((query @ k.W) @ (h @ k.U))
    weights = softmax(np.array(scores))
    return sum(a * h for a, h in zip(weights, rows, strict=True)), weights


def fixed_memory(annotations, kernel, position_encoding, scoring=softmax):
    """F §3: C [K, d] and α [S, K]."""
    d, contexts = kernel.shape
    memory, weights = np.zeros((contexts, d)), []
    for s, h in enumerate(annotations, start=1):
        scores = h @ kernel
        if position_encoding:
            for k in range(1, contexts + 1):
                a, b = k / contexts, s / len(annotations)
                scores[k - 1] *= (1 - a) * (1 - b) + a * b
        weights.append(scoring(scores))
        for k in range(contexts):
            memory[k] += weights[-1][k] * h
    return memory, np.array(weights).reshape(-1, contexts)


def memory_annotations(annotations, where, layer):
    """a [S, d + m] of annotations that stand in these columns, the others being 0."""
    s = np.zeros((max(where, default=-1) + 1, layer.maps))
    s[where] = annotations @ array(layer.kernel)
    for unit in layer.memory.units:
        terms = np.tile(oracles_pooled.biases(unit), (len(s), 1))
        columns = oracles_pooled.cgru(s, unit, terms)[where]
        s[where] = columns
    return np.concatenate([annotations, s[where]], axis=1)


def decoder(vectors, states, rows, weights):
    """B A.2.2, of any depth, U_o times s_t: r_t [n, readout] and α_t [n, rows]."""
    readouts, looked = [], []
    states = list(states)
    for y in vectors:
        x, seen = y, [y]
        if weights.attention is not None:
            context, alpha = attention(states[-1][0], rows, weights.attention)
            x, seen = np.concatenate([y, context]), [y, context]
            looked.append(alpha)
        for i, k in enumerate(weights.cells):
            states[i] = cell(x, states[i], k)
            x = states[i][0]
        u = np.concatenate([x, *seen]) @ weights.maxout.W + weights.maxout.b
        readouts.append([max(u[j], u[j + 1]) for j in range(0, len(u), 2)])
    return np.array(readouts), np.array(looked)


def seq2seq(source, where, target, w):
    """Logits [n, v], and the alignments [n, positions of the source].

    `source` holds only symbols that exist, `where` the columns that they stand in.
    """
    annotations, first = encoder([w.E[i] for i in source], w.encoder)
    rows, written = annotations, np.eye(len(source))
    if w.memory is not None:
        rows, written = fixed_memory(
            annotations, w.memory, w.position_encoding, w.scoring
        )
    if w.annotations is not None and where:
        rows = memory_annotations(np.array(annotations), where, w.annotations)
    before = [1, *target[:-1]]  # GO
    readouts, looked = decoder([w.E1[i] for i in before], first, rows, w.decoder)
    alignments = None
    if w.decoder.attention is not None:
        alignments = looked @ written.T
    return readouts @ w.O, alignments


SCORINGS = dict(softmax=softmax, sigmoid=lambda x: 1 / (1 + np.exp(-x)))


def array(variable):
    return np.asarray(variable, "float64")


def dense_weights(layer):
    return SimpleNamespace(W=array(layer.kernel), b=array(layer.bias))


def cell_weights(layer):
    """The weights of a Keras cell, by the names of the equations."""
    gates = ["i", "f", "", "o"] if layer.kernel.shape[1] == 4 * layer.units else "zr "
    named = {}
    for name, variable in [
        ("W", layer.kernel),
        ("U", layer.recurrent_kernel),
        ("b", layer.bias),
    ]:
        parts = np.split(array(variable), len(gates), axis=-1)
        for gate, part in zip(gates, parts, strict=True):
            named[name + gate.strip()] = part
    return SimpleNamespace(**named)


def encoder_weights(layer):
    return SimpleNamespace(
        forward=[cell_weights(rnn.cell) for rnn in layer.forward_rnns],
        backward=[cell_weights(rnn.cell) for rnn in layer.backward_rnns],
        bridges=[dense_weights(bridge) for bridge in layer.bridges],
    )


def attention_weights(layer):
    if hasattr(layer, "scoring"):
        scoring = SCORINGS[layer.scoring]
        return SimpleNamespace(lookup=array(layer.kernel), scoring=scoring)
    named = dict(W=array(layer.query_kernel), U=array(layer.key_kernel))
    if layer.score == "additive":
        named["v"] = array(layer.score_kernel)[:, 0]
    return SimpleNamespace(**named)


def decoder_weights(layer):
    attention = layer.attention
    return SimpleNamespace(
        cells=[cell_weights(cell) for cell in layer.cells],
        attention=None if attention is None else attention_weights(attention),
        maxout=dense_weights(layer.maxout),
    )


def model_weights(model):
    """The weights of a recurrent model, by the names of the equations."""
    memory = getattr(model, "fixed_memory", None)
    return SimpleNamespace(
        E=array(model.source_embedding.embeddings),
        E1=array(model.target_embedding.embeddings),
        O=array(model.readout.kernel),
        encoder=encoder_weights(model.encoder),
        decoder=decoder_weights(model.decoder),
        annotations=getattr(model, "memory_annotations", None),
        memory=None if memory is None else array(memory.kernel),
        position_encoding=memory is not None and memory.position_encoding,
        scoring=None if memory is None else SCORINGS[memory.scoring],
    )


def existing(source, size):
    """The symbols of a source row that count, and where they stand."""
    where = [k for k in range(size) if source[k] != 0]
    return [source[k] for k in where], where
