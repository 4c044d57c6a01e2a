"""Relaxed parameter sharing in NumPy, one example at a time; see `oracles`.

Kaiser & Sutskever 2016, "Neural GPUs Learn Algorithms" (KS), §3.
"""

import numpy as np
import oracles


def encoder(s, sets, cutoff=1.2):
    """KS §3: step t = 0 … n - 1 takes set t mod r of the CGRUs' weights."""
    for t in range(len(s)):
        for unit in sets[t % len(sets)]:
            s = oracles.cgru(s, unit, cutoff)
    return s


def cost(sets):
    """KS §3: Σ_θ Σ_i |θ_i - θ̄|² over the arrays θ_i, by weight."""
    return sum(
        np.sum((np.array(same) - np.mean(same, axis=0)) ** 2, dtype="float64")
        for same in sets
    )
