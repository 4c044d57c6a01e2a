"""What every recurrent model keeps: its config, weights and random numbers."""

import json

import contract_cases
import keras
import numpy as np
import oracles
import pytest
import tensorflow as tf
from recurrent_cases import (
    MODELS,
    batch,
    build,
    models,
    policy,
    recurrent,
    shared,
    step_by_step,
)

from neural_gpu_tf.models.recurrent_model import RecurrentModel


def arguments(cls):
    """None is the default, and initializers can be told apart."""
    kernel = keras.initializers.Orthogonal(1.4)
    return contract_cases.options(cls)() | dict(
        kernel_initializer=kernel, dtype="float32"
    )


def cells(model):
    """The parts that have matrices of their own."""
    if hasattr(model, "machine"):
        return [model.machine]
    return [model.encoder.backward_rnns[0].cell, model.decoder.cells[0]]


@recurrent
def test_config_and_files_give_the_model_back(name, tmp_path):
    """Its config, its weights alone, and the model as a whole."""
    cls, _ = MODELS[name]
    given = arguments(cls)
    model = oracles.randomize(cls(**given, name="mine"))
    config = model.get_config()
    assert given.keys() | {"name", "trainable"} == set(config)
    for key in given.keys() - {"dtype"}:
        if "initializer" not in key:
            assert config[key] == given[key]
    copy = cls.from_config(json.loads(json.dumps(config)))
    assert json.dumps(copy.get_config()) == json.dumps(config)
    for part in cells(copy):
        assert part.kernel_initializer.gain == 1.4
        assert part.recurrent_initializer.gain == 1.3
    assert copy.readout.kernel_initializer.gain == 1.4
    assert copy.target_embedding.embeddings_initializer.maxval == 0.7
    assert [w.path for w in copy.weights] == [w.path for w in model.weights]
    assert [w.shape for w in copy.weights] == [w.shape for w in model.weights]

    expected = np.array(model(batch()))
    model.save_weights(tmp_path / "model.weights.h5")
    assert np.abs(copy(batch()) - expected).max() > 1e-3
    copy.load_weights(tmp_path / "model.weights.h5")
    np.testing.assert_array_equal(copy(batch()), expected)

    model.save(tmp_path / "model.keras")
    whole = keras.models.load_model(tmp_path / "model.keras")
    assert type(whole) is cls
    np.testing.assert_array_equal(whole(batch()), expected)
    _, logits = step_by_step(whole, batch())
    np.testing.assert_array_equal(logits, step_by_step(model, batch())[1])


@models
def test_dropout_is_for_training_only_and_follows_from_the_seeds(name):
    """And under it the gradient is still the slope."""
    cls, options = MODELS[name]
    with policy("float64"):
        model = build(cls, **options, dropout=0.3, seed=2)
    exact = model(batch())
    np.testing.assert_allclose(exact, shared(name)(batch()), atol=1e-5)
    seeds = [v for v in model.variables if "seed" in v.path]
    before = [keras.ops.copy(v.value) for v in seeds]

    def again():
        for variable, value in zip(seeds, before, strict=True):
            variable.assign(value)
        return model(batch(), training=True)

    first = again()
    second = model(batch(), training=True)
    assert np.abs(first - exact).max() > 0.01
    assert np.abs(first - second).max() > 0.01
    np.testing.assert_array_equal(again(), first)

    weights = model.trainable_variables
    with tf.GradientTape() as recording:
        loss = tf.reduce_sum(again() ** 2)
    gradients = [tf.convert_to_tensor(g) for g in recording.gradient(loss, weights)]
    norm = np.sqrt(sum(np.sum(g**2) for g in gradients))
    sides = []
    for h in (1e-5, -2e-5):
        for weight, gradient in zip(weights, gradients, strict=True):
            weight.assign_add(h / norm * gradient)
        sides.append(tf.reduce_sum(again() ** 2))
    np.testing.assert_allclose((sides[0] - sides[1]) / 2e-5, norm, rtol=1e-6)


@pytest.mark.parametrize(
    "name",
    [name for name, (cls, _) in MODELS.items() if issubclass(cls, RecurrentModel)],
)
def test_encoder_and_decoder_drop_differently(name):
    cls, options = MODELS[name]
    model = build(cls, **options, dropout=0.3, seed=5)
    drawn = [part.seed_generator.next() for part in (model.encoder, model.decoder)]
    assert (np.array(drawn[0]) != np.array(drawn[1])).any()


@recurrent
def test_no_two_weights_start_alike(name):
    """Though one initializer draws many."""
    cls, _ = MODELS[name]
    keras.utils.set_random_seed(2)
    weights = [x for x in cls(**arguments(cls)).get_weights() if x.ndim == 2]
    for i, array in enumerate(weights):
        for other in weights[:i]:
            assert array.shape != other.shape or np.abs(array - other).max() > 0.05
