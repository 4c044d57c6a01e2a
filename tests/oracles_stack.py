"""The stack network's equations in NumPy, one example at a time, for tests.

A stack is a list, its top first; where it ends, -1 is read. An action is done in three
worlds, one each for PUSH, POP and NO-OP, and the worlds are mixed by their weights.

The equations: Joulin & Mikolov 2015, "Inferring Algorithmic Patterns with
Stack-Augmented Recurrent Nets", §3.
"""

from itertools import zip_longest
from types import SimpleNamespace

import numpy as np


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def step(x, h, stacks, w):
    """Eqs. 6, 3 and 7: h_t and the stacks after it."""
    tops = [(stack + [-1.0] * w.k)[: w.k] for stack in stacks]
    past = h @ w.R if hasattr(w, "R") else 0.0
    h = sigmoid(x @ w.U + past + np.concatenate(tops) @ w.P)
    after = []
    for j, stack in enumerate(stacks):
        e = np.exp(h @ w.A[:, 3 * j : 3 * j + 3])
        worlds = ([sigmoid(h @ w.D[:, j]), *stack], stack[1:], stack)
        after.append(
            [
                sum(a * place for a, place in zip(e / e.sum(), places, strict=True))
                for places in zip_longest(*worlds, fillvalue=-1.0)
            ][: w.depth or None]
        )
    return h, after


def stack_rnn(source, target, w):
    """Logits [n, v] and the stacks at the end; `source` has only symbols that exist."""
    h, stacks, logits = np.zeros(len(w.D)), [[] for _ in w.D.T], []
    for symbol in source:
        h, stacks = step(w.E[symbol], h, stacks, w)
    for symbol in [1, *target[:-1]]:  # GO
        h, stacks = step(w.E1[symbol], h, stacks, w)
        logits.append(h @ w.O)
    return np.array(logits), stacks


def model_weights(model):
    """The weights of a stack network, by the names of the equations."""
    machine = model.machine
    named = dict(
        E=model.source_embedding.embeddings,
        E1=model.target_embedding.embeddings,
        O=model.readout.kernel,
        U=machine.input_kernel,
        P=machine.top_kernel,
        A=machine.action_kernel,
        D=machine.push_kernel,
    )
    if machine.recurrent:
        named["R"] = machine.recurrent_kernel
    arrays = {name: np.asarray(x, "float64") for name, x in named.items()}
    return SimpleNamespace(k=machine.tops, depth=machine.depth, **arrays)
