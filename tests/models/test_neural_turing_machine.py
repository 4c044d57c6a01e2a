"""The Neural Turing Machine against the paper's equations."""

import warnings

import keras
import numpy as np
import oracles
import oracles_ntm
import oracles_recurrent
import pytest
import tensorflow as tf

from neural_gpu_tf.layers import TuringMachine
from neural_gpu_tf.models.neural_turing_machine import NeuralTuringMachine

VOCABULARY = 7
SIZES = np.array([4, 2, 1, 3], "int32")
N = 4
INPUTS = dict(  # a hole in the source, none, only a hole beyond the size, an empty one
    source=np.array([[3, 0, 5, 6], [2, 4, 6, 3], [5, 0, 1, 2], [0, 0, 0, 4]], "int32"),
    target=np.random.default_rng(0).integers(0, VOCABULARY, (4, N), "int32"),
    size=SIZES,
)
VARIANTS = dict(
    lstm={},
    several=dict(read_heads=2, write_heads=3, shift_range=2),
    feedforward=dict(controller="feedforward", read_heads=2),
    constant=dict(memory_start="constant"),
)
variants = pytest.mark.parametrize("name", VARIANTS)


@pytest.fixture
def new_model():
    """Makes a model in float64."""
    before = keras.config.dtype_policy()
    keras.config.set_dtype_policy("float64")

    def build(name):
        sizes = dict(units=3, embedding_size=2, memory_rows=6, memory_width=4)
        return oracles.randomize(
            NeuralTuringMachine(VOCABULARY, **sizes, **VARIANTS[name])
        )

    yield build
    keras.config.set_dtype_policy(before)


def equation(model, b):
    """Logits and weightings of example b, and where its steps stand."""
    n = SIZES[b]
    symbols, where = oracles_recurrent.existing(INPUTS["source"][b], n)
    weights = oracles_ntm.model_weights(model)
    target = INPUTS["target"][b, :n]
    steps = [*where, *range(N, N + n)]
    return *oracles_ntm.turing_machine(symbols, target, weights), steps


@variants
def test_is_the_equation_and_its_gradient_the_slope(name, new_model):
    """The slope along a random direction of each weight; and the weightings."""
    model, rng = new_model(name), np.random.default_rng(1)
    cotangent = rng.standard_normal((len(SIZES), N, VOCABULARY))
    with tf.GradientTape() as recording:
        logits = model(INPUTS)
        loss = tf.reduce_sum(logits * cotangent)
    weights = model.trainable_variables
    gradients = recording.gradient(loss, weights)
    places = model.weightings(**INPUTS)
    places = np.concatenate([places.write, places.read], axis=2)
    for b, n in enumerate(SIZES):
        expected, looked, steps = equation(model, b)
        np.testing.assert_allclose(logits[b, :n], expected, atol=1e-10)
        assert not logits[b, n:].numpy().any()
        np.testing.assert_allclose(places[b, steps], looked, atol=1e-10)
        assert not np.delete(places[b], steps, axis=0).any()

    def loss_of_equation():
        return sum(
            (equation(model, b)[0] * cotangent[b, :n]).sum()
            for b, n in enumerate(SIZES)
        )

    h = 1e-5
    for variable, gradient in zip(weights, gradients, strict=True):
        value, direction = variable.numpy(), rng.standard_normal(variable.shape)
        sides = []
        for sign in (1, -1):
            variable.assign(value + sign * h * direction)
            sides.append(loss_of_equation())
        variable.assign(value)
        slope = np.sum(tf.convert_to_tensor(gradient).numpy() * direction)
        np.testing.assert_allclose(
            slope, (sides[0] - sides[1]) / (2 * h), atol=1e-7, err_msg=variable.path
        )
        assert abs(slope) > 1e-6, variable.path


def test_more_shifts_than_rows_are_refused():
    with pytest.raises(ValueError, match="4 rows of memory: shifts from -2 to 2 need"):
        NeuralTuringMachine(VOCABULARY, units=3, memory_rows=4, shift_range=2)


def test_alone_and_in_a_model_it_starts_alike():
    sizes = dict(units=4, embedding_size=3, memory_rows=4, memory_width=3)
    model = NeuralTuringMachine(VOCABULARY, **sizes, dtype="mixed_bfloat16")
    for weight in model.weights:  # of a size that bfloat16 rounds
        weight.assign(weight + 0.123)
    clone = keras.models.clone_model(model)  # of no policy: its layers are alone
    clone.set_weights(model.get_weights())
    np.testing.assert_array_equal(clone(INPUTS), model(INPUTS))


@pytest.mark.parametrize("options", [{"shift_range": 0}, {"memory_rows": 1}])
def test_one_row_or_no_shift_is_no_warning(options):
    layer = TuringMachine(4, **{"shift_range": 0, **options})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        outputs, _ = layer(np.ones((2, 3, 5), "float32"))
    assert np.isfinite(outputs).all()
