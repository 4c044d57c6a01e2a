"""The Neural Turing Machine's equations in NumPy, one example at a time, for tests.

A head's parameters are what the paper names, a memory is rows, a shift is the sum over
j of equation 8 as it stands. The numbers: Graves, Wayne & Danihelka 2014, "Neural
Turing Machines", §3.
"""

from types import SimpleNamespace

import numpy as np
from oracles_recurrent import array, cell_weights, lstm, sigmoid, softmax, zero_state


def softplus(x):
    return np.log1p(np.exp(x))


def cosine(u, v, epsilon=0.0):
    """Eq. 6, which has no ε; what it is of a row of zeros the paper does not say."""
    return u @ v / (np.sqrt(u @ u + epsilon) * np.sqrt(v @ v + epsilon))


def address(memory, before, p):
    """Eqs. 5, 7, 8 and 9: w_t."""
    n = len(memory)
    reach = len(p.s) // 2
    content = softmax(p.beta * np.array([cosine(p.k, v, 1e-8) for v in memory]))
    gated = p.g * content + (1 - p.g) * before
    s = np.zeros(n)
    for offset, share in zip(range(-reach, reach + 1), p.s, strict=True):
        s[offset % n] += share
    shifted = np.array(
        [sum(gated[j] * s[(i - j) % n] for j in range(n)) for i in range(n)]
    )
    sharp = shifted**p.gamma
    return sharp / sharp.sum()


def write(memory, weightings, erases, adds):
    """Eqs. 3 and 4, every head's erasing before any head's adding."""
    memory = memory.copy()
    for w, e in zip(weightings, erases, strict=True):
        for i in range(len(memory)):
            memory[i] = memory[i] * (1 - w[i] * e)
    for w, a in zip(weightings, adds, strict=True):
        for i in range(len(memory)):
            memory[i] = memory[i] + w[i] * a
    return memory


def read(memory, w):
    """Eq. 2."""
    return sum(w[i] * memory[i] for i in range(len(memory)))


def parameters(said, k):
    """Of each head, in the order of the layer; §3.3."""
    numbers = said @ k.W + k.b
    heads = []
    size = k.width + 3 + k.shifts
    for h in range(k.writers + k.readers):
        own = numbers[h * size : (h + 1) * size]
        m = k.width
        heads.append(
            SimpleNamespace(
                k=own[:m],
                beta=softplus(own[m]),
                g=sigmoid(own[m + 1]),
                s=softmax(own[m + 2 : m + 2 + k.shifts]),
                gamma=1 + softplus(own[-1]),
            )
        )
    rest = numbers[(k.writers + k.readers) * size :].reshape(2, k.writers, k.width)
    return heads, sigmoid(rest[0]), rest[1]


def heads(said, memory, before, k):
    """M_t, all w_t and r_t."""
    heads, erases, adds = parameters(said, k)
    weightings = [address(memory, w, p) for w, p in zip(before, heads, strict=True)]
    writing, reading = weightings[: k.writers], weightings[k.writers :]
    memory = write(memory, writing, erases, adds)
    return memory, weightings, [read(memory, w) for w in reading]


def step(x, state, k):
    """State and z_t after one more vector."""
    controller, memory, weightings, reads = state
    seen = np.concatenate([x, *reads])
    if k.lstm is not None:
        controller = lstm(seen, controller, k.lstm)
        said = controller[0]
    else:
        said = np.tanh(seen @ k.dense.W + k.dense.b)
    memory, weightings, reads = heads(said, memory, weightings, k.heads)
    return (controller, memory, weightings, reads), np.concatenate([said, *reads])


def turing_machine(source, target, w):
    """Logits [n, v] and the weightings of every step [steps, heads, N].

    `source` has only symbols that exist.
    """
    k = w.machine
    state = (zero_state(k.lstm) if k.lstm else (), k.memory, k.weightings, k.reads)
    logits, places = [], []
    for symbol in source:
        state, _ = step(w.E[symbol], state, k)
        places.append(state[2])
    for symbol in [1, *target[:-1]]:  # GO
        state, z = step(w.E1[symbol], state, k)
        places.append(state[2])
        logits.append(z @ w.O)
    return np.array(logits), np.array(places)


def heads_weights(layer):
    return SimpleNamespace(
        W=array(layer.kernel),
        b=array(layer.bias),
        width=layer.sizes.key,
        shifts=layer.sizes.shifts,
        readers=layer.read_heads,
        writers=layer.write_heads,
    )


def machine_weights(layer):
    n, m = layer.memory_rows, layer.memory_width
    count = layer.read_heads + layer.write_heads
    if layer.memory_start == "learned":
        memory, reads = array(layer.first_memory), array(layer.first_reads)
        weightings = np.array([softmax(x) for x in array(layer.first_weightings)])
    else:
        memory, reads = np.full((n, m), 1e-6), np.zeros((layer.read_heads, m))
        weightings = np.tile(np.eye(n)[0], (count, 1))
    own = layer.controller == "lstm"
    return SimpleNamespace(
        memory=memory,
        weightings=weightings,
        reads=reads,
        heads=heads_weights(layer.heads),
        lstm=cell_weights(layer.cell) if own else None,
        dense=None
        if own
        else SimpleNamespace(W=array(layer.cell.kernel), b=array(layer.cell.bias)),
    )


def model_weights(model):
    """The weights of a Neural Turing Machine, by the names of the equations."""
    return SimpleNamespace(
        E=array(model.source_embedding.embeddings),
        E1=array(model.target_embedding.embeddings),
        O=array(model.readout.kernel),
        machine=machine_weights(model.machine),
    )
