import itertools

import numpy as np

from benchmarks.ngrams import OPTIONS, as_language, measure
from neural_gpu_tf.tasks import DynamicNGrams


def test_a_model_is_measured_against_the_optimal_estimator():
    small = OPTIONS | dict(units=4, embedding_size=2, order=2, length=6, batch=8)
    small |= dict(held_out=64, learning_rate=0.01)
    task = DynamicNGrams(2, 6)
    held_out = task.generate(np.random.default_rng([0, 1]), 64)
    optimal = task.cost(held_out, task.estimates(held_out)).mean()
    rows = measure("rnn_seq2seq", small, minutes=60, every=1)
    first, second = itertools.islice(rows, 2)
    assert (first["sequences"], second["sequences"]) == (8, 16)
    assert second["minutes"] >= first["minutes"]
    for row in (first, second):
        assert row["optimal"] == round(float(optimal), 2)
        assert 6 < row["cost"] < 14  # of four symbols at first: 12 bits
        above = row["cost"] / row["optimal"] - 1
        np.testing.assert_allclose(row["above"], above, atol=2e-3)
    assert second["cost"] < first["cost"]  # that two symbols never come is soon known


def test_the_source_is_empty_and_the_bits_are_symbols():
    batch = as_language(DynamicNGrams(2, 3), np.array([[0, 1, 1]]))
    assert not batch["source"].any()
    assert batch["target"].tolist() == [[2, 3, 3]] and batch["size"].tolist() == [3]
