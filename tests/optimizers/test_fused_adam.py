import keras
import numpy as np
import pytest
import tensorflow as tf

from neural_gpu_tf.optimizers import FusedAdam, build_optimizer
from neural_gpu_tf.options import TrainingConfig

OPTIONS = dict(learning_rate=0.05, beta_1=0.8, beta_2=0.95, epsilon=1e-3)


def trained(cls, steps=30, **options):
    """All variables, by path, after some steps with random gradients."""
    rng = np.random.default_rng(0)
    variable = keras.Variable(rng.standard_normal((3, 2)), name="weights")
    optimizer = cls(**OPTIONS | options)
    optimizer.build([variable])
    for _ in range(steps):
        gradient = rng.standard_normal((3, 2)) * 10.0 ** rng.integers(-3, 2)
        optimizer.apply([gradient.astype("float32")], [variable])
    found = {v.path.partition("/")[2]: np.array(v) for v in optimizer.variables}
    return found | {"weights": np.array(variable)}


@pytest.mark.parametrize("options", [{}, {"amsgrad": True}, {"use_ema": True}])
def test_it_is_keras_adam(options):
    """The weights, the optimizer's variables and their names."""
    expected = trained(keras.optimizers.Adam, **options)
    found = trained(FusedAdam, **options)
    assert list(found) == list(expected)
    for name, value in expected.items():
        np.testing.assert_allclose(found[name], value, rtol=2e-5, atol=1e-7)


def test_it_is_the_equation():
    rng = np.random.default_rng(1)
    gradients = rng.standard_normal((20, 4))
    weights, m, v = np.ones(4), np.zeros(4), np.zeros(4)
    variable = keras.Variable(np.ones(4))
    optimizer = FusedAdam(0.1, beta_1=0.7, beta_2=0.9, epsilon=0.01)
    optimizer.build([variable])
    for t, g in enumerate(gradients, start=1):
        m += (1 - 0.7) * (g - m)
        v += (1 - 0.9) * (g * g - v)
        rate = 0.1 * np.sqrt(1 - 0.9**t) / (1 - 0.7**t)
        weights -= rate * m / (np.sqrt(v) + 0.01)
        optimizer.apply([g.astype("float32")], [variable])
    np.testing.assert_allclose(variable, weights, atol=1e-5)


def test_a_checkpoint_of_keras_adam_is_read(tmp_path):
    saved = []
    for cls in (keras.optimizers.Adam, FusedAdam):
        variable = keras.Variable(np.ones(3))
        optimizer = cls(**OPTIONS)
        optimizer.build([variable])
        saved.append((tf.train.Checkpoint(optimizer=optimizer), optimizer, variable))
    (first, keras_adam, weights), (second, fused, _) = saved
    for _ in range(3):
        keras_adam.apply([np.full(3, 0.5, "float32")], [weights])
    second.read(first.write(str(tmp_path / "it"))).assert_consumed()
    assert len(fused.variables) == len(keras_adam.variables)
    for one, other in zip(fused.variables, keras_adam.variables, strict=True):
        np.testing.assert_array_equal(one, other)


def test_it_is_built_from_the_options_and_from_its_config():
    optimizer = build_optimizer(TrainingConfig(optimizer="adam", adam_beta_1=0.7))
    assert type(optimizer) is FusedAdam and optimizer.beta_1 == 0.7
    copy = FusedAdam.from_config(FusedAdam(**OPTIONS).get_config())
    assert (copy.beta_1, copy.beta_2, copy.epsilon) == (0.8, 0.95, 1e-3)
