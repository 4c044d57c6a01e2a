"""Dynamic N-grams."""

import itertools
import math

import numpy as np
import pytest

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.tasks import DynamicNGrams


def evidence(bits, order):
    """log2 P(bits), the table integrated out: the Beta integral of each context."""
    counts = {}
    for t in range(order - 1, len(bits)):
        counts.setdefault(bits[t - order + 1 : t], [0, 0])[bits[t]] += 1
    total = -(order - 1) * math.log(2)
    for zeros, ones in counts.values():
        total += math.lgamma(ones + 0.5) + math.lgamma(zeros + 0.5)
        total -= math.lgamma(ones + zeros + 1) + math.log(math.pi)
    return total / math.log(2)


@pytest.mark.parametrize("order", [1, 2, 3])
def test_the_estimates_are_exact_for_every_sequence(order):
    """Of all sequences of 8 bits; so their probabilities sum to 1."""
    task = DynamicNGrams(order, length=8)
    sequences = list(itertools.product((0, 1), repeat=8))
    bits = np.array(sequences)
    costs = task.cost(bits, task.estimates(bits))
    expected = [-evidence(sequence, order) for sequence in sequences]
    np.testing.assert_allclose(costs, expected, rtol=1e-12)
    np.testing.assert_allclose(np.sum(2.0**-costs), 1, rtol=1e-12)


def test_a_bit_follows_its_own_table():
    """Contexts of one sequence repeat a bit more often than those of two."""
    task = DynamicNGrams()
    bits = task.generate(np.random.default_rng(0), 2000)
    assert bits.shape == (2000, 200) and set(np.unique(bits)) == {0, 1}
    np.testing.assert_allclose(bits.mean(), 0.5, atol=0.01)
    costs = task.cost(bits, task.estimates(bits))
    # What any estimator can expect: 32 contexts, about 6 bits seen after each.
    assert abs(costs.mean() - task.cost(bits, np.full(bits.shape, 0.5)).mean()) > 50
    again = task.generate(np.random.default_rng(0), 2000)
    np.testing.assert_array_equal(again, bits)


def test_draws_from_the_table_as_the_estimator_expects():
    """The mean cost is the mean of the entropies of its estimates: it is calibrated."""
    task = DynamicNGrams(order=3, length=60)
    bits = task.generate(np.random.default_rng(1), 20000)
    p = task.estimates(bits)
    entropy = -(p * np.log2(p) + (1 - p) * np.log2(1 - p)).sum(axis=1)
    costs = task.cost(bits, p)
    deviation = np.std(costs - entropy) / np.sqrt(len(bits))
    assert abs(np.mean(costs - entropy)) < 4 * deviation < 0.3


def test_symbols_are_no_blank_and_no_go():
    task = DynamicNGrams()
    assert task.symbols(np.array([0, 1])).tolist() == [2, 3]
    assert task.vocabulary_size == 4


@pytest.mark.parametrize("order, length", [(0, 5), (6, 5)])
def test_wrong_choices(order, length):
    with pytest.raises(InputError, match=f"^{order}-grams of {length} bits"):
        DynamicNGrams(order, length)
