import keras
import numpy as np
import pytest
import tensorflow as tf

from neural_gpu_tf.optimizers import ClippedAdamax, build_optimizer
from neural_gpu_tf.options import TrainingConfig


def oracle(weights, gradients, rate, beta, epsilon):
    """The equations of the class."""
    m, u = np.zeros_like(weights), np.zeros_like(weights)
    for t, g in enumerate(gradients):
        c = 1.2 * u + 1e-4
        g = np.maximum(-c, np.minimum(c, g))
        m = beta * m + (1 - beta) * g
        u = np.maximum((1 - max(0.0005, 0.01 * 2 ** (-t / 2000))) * u, abs(g))
        weights = weights - rate * m / (u + epsilon)
    return weights


def test_is_the_equation():
    rng = np.random.default_rng(0)
    start = rng.standard_normal((3, 2))
    gradients = rng.standard_normal((60, 3, 2)) * 1e-3
    gradients[40, 0] = 50  # a wild one
    optimizer = ClippedAdamax(0.1, beta_1=0.8, epsilon=1e-8)
    variable = keras.Variable(start)
    optimizer.build([variable])
    for gradient in gradients:
        optimizer.apply([gradient.astype("float32")], [variable])
    expected = oracle(start, gradients, 0.1, 0.8, 1e-8)
    np.testing.assert_allclose(variable, expected, atol=1e-4)
    assert np.abs(variable - start).max() > 0.01


def test_one_wild_gradient_moves_a_weight_hardly_more_than_a_usual_one():
    moved = []
    for last in (1.0, 1e6):
        optimizer, variable = ClippedAdamax(0.1), keras.Variable([0.0])
        optimizer.build([variable])
        for _ in range(200):
            optimizer.apply([np.ones(1, "float32")], [variable])
        before = float(variable[0])
        optimizer.apply([np.full(1, last, "float32")], [variable])
        moved.append(before - float(variable[0]))
    assert moved[1] == pytest.approx(moved[0], rel=0.2)


def test_it_is_built_from_the_options_and_from_its_config():
    config = TrainingConfig(
        optimizer="clipped_adamax", adam_beta_1=0.7, adam_epsilon=1e-6
    )
    optimizer = build_optimizer(config)
    assert type(optimizer) is ClippedAdamax
    assert (optimizer.beta_1, optimizer.epsilon) == (0.7, 1e-6)
    copy = ClippedAdamax.from_config(ClippedAdamax(0.2, beta_1=0.7).get_config())
    assert (float(copy.learning_rate), copy.beta_1) == (pytest.approx(0.2), 0.7)


def test_an_embeddings_gradient_is_that_of_the_whole_table():
    """`fit` has the rows that were looked up, one of them four times here."""
    tables = []
    for rows in (tf.IndexedSlices(tf.ones((4, 2)), [3, 3, 3, 3], [9, 2]), None):
        table = keras.Variable(np.zeros((9, 2), "float32"))
        dense = np.zeros((9, 2), "float32")
        dense[3] = 4
        optimizer = ClippedAdamax(1.0)
        optimizer.build([table])
        optimizer.apply([dense if rows is None else rows], [table])
        tables.append(np.array(table))
    np.testing.assert_array_equal(*tables)
    assert tables[0][3].all() and not tables[0][:3].any()


def test_it_has_no_beta_2():
    with pytest.raises(ValueError, match="beta_2: follows from the step"):
        ClippedAdamax(0.1, beta_2=0.5)
