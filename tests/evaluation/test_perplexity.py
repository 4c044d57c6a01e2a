import math

import keras
import numpy as np
import pytest
import tiny

from neural_gpu_tf.constants import EOS
from neural_gpu_tf.evaluation import Perplexity, Surprisal

PAIRS = [([3, 4, 5], [6, 7, EOS]), ([4], [3, 3, 5, EOS]), ([5, 5, 5, 5], [EOS])]


def batch(pairs, columns):
    source, target = np.zeros((2, len(pairs), columns), np.int32)
    for row, symbols in enumerate(pairs):
        source[row, : len(symbols[0])] = symbols[0]
        target[row, : len(symbols[1])] = symbols[1]
    size = np.array([max(map(len, symbols)) for symbols in pairs], np.int32)
    return {"source": source, "target": target, "size": size}


def test_sums_the_models_log_probabilities_over_batches():
    model = tiny.new_model(8)
    nats = 0.0
    for symbols in PAIRS:  # each alone, on a canvas of its own size
        alone = batch([symbols], max(map(len, symbols)))
        log_p = np.array(keras.ops.log_softmax(model(alone)))[0]
        nats -= sum(log_p[t, symbol] for t, symbol in enumerate(symbols[1]))
    surprisal = Perplexity(model)([batch(PAIRS[:2], 6), batch(PAIRS[2:], 9)])
    assert surprisal.symbols == 3 + 4 + 1
    assert surprisal.nats == pytest.approx(nats, rel=1e-5)


def test_a_model_that_knows_nothing_has_the_perplexity_of_its_vocabulary():
    model = tiny.new_model(8)
    kernel = model.layers[-1].kernel  # O
    kernel.assign(0 * kernel)
    surprisal = Perplexity(model)([batch(PAIRS, 5)])
    assert surprisal.perplexity(surprisal.symbols) == pytest.approx(8)


def test_perplexity_is_per_what_is_counted():
    surprisal = Surprisal(nats=6.0, symbols=3)
    assert surprisal.perplexity(3) == pytest.approx(math.exp(2))
    assert surprisal.perplexity(1) == pytest.approx(math.exp(6))
    assert Surprisal(nats=1e5, symbols=3).perplexity(3) == math.inf
