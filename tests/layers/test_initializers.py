"""Weights of one initializer with a seed differ; layers and models made alike don't."""

import inspect

import contract
import contract_cases
import keras
import numpy as np
import pytest

from neural_gpu_tf import layers, models
from neural_gpu_tf.layers.initializers import fresh, of_part

INITIALIZERS = ("kernel_initializer", "recurrent_initializer", "embedding_initializer")


def seeded(serialized=False):
    initializer = keras.initializers.RandomUniform(-1.0, 1.0, seed=5)
    return keras.initializers.serialize(initializer) if serialized else initializer


def drawn(layer):
    """Values of the weights that are drawn at random, [of each]."""
    constant = ("bias", "first_weightings")
    return [
        np.array(w) for w in layer.weights if not any(x in w.path for x in constant)
    ]


def assert_all_differ(values):
    """No number is drawn twice: of float64, that's chance for none."""
    numbers = np.concatenate([x.ravel() for x in values])
    assert len(np.unique(numbers)) == len(numbers) > 1


def made(cls, arguments, serialized=False, **others):
    taken = inspect.signature(cls.__init__).parameters
    own = {name: seeded(serialized) for name in INITIALIZERS if name in taken}
    return cls(**arguments() | own | others, dtype="float64")


LAYERS = {
    cls.__name__: (cls, arguments, inputs)
    for cls, arguments, inputs in contract_cases.LAYERS
    if "kernel_initializer" in arguments() and cls is not layers.PooledDecoder
}


@pytest.mark.parametrize("cls, arguments, inputs", LAYERS.values(), ids=LAYERS)
def test_weights_of_a_layer(cls, arguments, inputs):
    both = [made(cls, arguments), made(cls, arguments)]
    for layer in both:
        layer(*contract.random_inputs(inputs).values())
    first, second = map(drawn, both)
    assert_all_differ(first)
    for a, b in zip(first, second, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("cls, arguments", contract_cases.MODELS)
def test_weights_of_a_model(cls, arguments):
    options = inspect.signature(cls.__init__).parameters.keys() & {"layers"}
    deeper = dict.fromkeys(options, 2)
    model = made(cls, arguments, **deeper)
    same = made(cls, arguments, serialized=True, **deeper)
    # Dense: the readout of the models with a canvas, which takes no initializer.
    free = not hasattr(model, "machine") and hasattr(model, "canvas")
    values, others = drawn(model), drawn(same)
    if free and not isinstance(model, models.PooledNeuralGPU):
        values, others = values[:-1], others[:-1]
    assert_all_differ(values)
    for a, b in zip(values, others, strict=True):
        np.testing.assert_array_equal(a, b)


def test_sets_of_an_encoder():
    unit = layers.CGRU(3, kernel_initializer=seeded(), dtype="float64")
    encoder = layers.ActiveMemoryEncoder([unit], relaxations=3)
    encoder.build((None, None, 2, 3))
    assert_all_differ(drawn(encoder))


def test_an_attentive_decoder():
    unit = layers.TapeCGRU(3, kernel_initializer=seeded(), dtype="float64")
    decoder = layers.AttentiveDecoder([unit])
    decoder.build((None, None, 2, 3))
    assert_all_differ(drawn(decoder))


def test_a_seed_generator_goes_on_from_weight_to_weight():
    seed = keras.random.SeedGenerator(5)
    initializer = keras.initializers.RandomUniform(-1.0, 1.0, seed=seed)
    layer = layers.CGRU(3, kernel_initializer=initializer, dtype="float64")
    layer.build()
    assert_all_differ(drawn(layer))


class Filled(keras.initializers.Initializer):
    """Of its own, without `get_config`, as Keras's layers take it."""

    def __init__(self, value):
        self.value = value

    def __call__(self, shape, dtype=None):
        return keras.ops.full(shape, self.value, dtype)


def test_one_that_tells_no_configuration_stays_as_it_is():
    model = models.AttentionSeq2Seq(
        9,
        units=4,
        embedding_size=4,
        layers=1,
        kernel_initializer=Filled(0.1),
        embedding_initializer=Filled(0.2),
    )
    values = {float(x) for w in drawn(model) for x in np.unique(w.round(4))}
    assert {0.1, 0.2} <= {round(x, 4) for x in values}
    layer = layers.CGRU(4, kernel_initializer=Filled(0.3))
    layer.build()
    assert float(np.array(layer.candidate_kernel).max()) == pytest.approx(0.3)


def test_a_function_initializes():
    ones = lambda shape, dtype=None: keras.ops.ones(shape, dtype)  # noqa: E731
    layer = layers.CGRU(3, kernel_initializer=ones)
    layer.build()
    assert (np.array(layer.candidate_kernel) == 1).all()


def test_without_a_seed_nothing_changes():
    for given in ("orthogonal", keras.initializers.Orthogonal(), {"class_name": "x"}):
        assert of_part(given, "part") is given
    keras.utils.set_random_seed(3)
    expected = keras.initializers.Orthogonal().clone()((4, 4))
    keras.utils.set_random_seed(3)
    np.testing.assert_array_equal(fresh("orthogonal", "weight")((4, 4)), expected)


@keras.saving.register_keras_serializable("test_initializers")
def all_ones(shape, dtype=None):
    return keras.ops.ones(shape, dtype)


@pytest.mark.parametrize(
    "cls, arguments",
    [*contract_cases.MODELS, *((cls, given) for cls, given, _ in LAYERS.values())],
)
def test_a_function_is_an_initializer(cls, arguments):
    taken = inspect.signature(cls.__init__).parameters
    own = {name: all_ones for name in INITIALIZERS if name in taken}
    config = cls(**arguments() | own).get_config()
    again = cls.from_config(config).get_config()
    assert own and all(again[name] == config[name] for name in own)
