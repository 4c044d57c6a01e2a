"""What is wrong with an argument is said in one line; numbers of NumPy are numbers."""

import inspect
import json

import keras
import numpy as np
import pytest
import tensorflow as tf

from neural_gpu_tf import decoding, layers, models
from neural_gpu_tf.errors import InputError
from neural_gpu_tf.options import SamplingConfig

NAN = float("nan")


@pytest.mark.parametrize(
    "wrong, message",
    [
        (
            lambda: layers.CGRU(24, kernel_size=4),
            "kernel_size=4: must be one odd whole",
        ),
        (lambda: layers.CGRU(0), "maps=0: must be at least 1"),
        (
            lambda: layers.CGRU(6)(np.ones((2, 5, 6))),
            "is .batch, columns, width, maps=6",
        ),
        (lambda: layers.CGRU(6)(np.ones((2, 5, 2, 7))), "not .2, 5, 2, 7."),
        (
            lambda: layers.AttentiveDecoder(layers.TapeCGRU(6)).build((2, 5, 2, 7)),
            "not .2, 5, 2, 7.",
        ),
        (lambda: models.NeuralGPU(9, maps=6, dropout=2.0), "dropout=2.0: must be in"),
        (lambda: layers.ActiveMemoryEncoder([]), "needs a CanvasUnit at least"),
        (lambda: layers.ActiveMemoryEncoder(layers.TapeCGRU(6)), "without a tape"),
        (lambda: layers.ActiveMemoryDecoder(layers.CGRU(6)), "with a tape"),
        (lambda: layers.RecurrentEncoder(4, dropout=1.0), "dropout=1.0: must be in"),
        (lambda: layers.RecurrentDecoder(4, 4, dropout=-0.1), "dropout=-0.1: must"),
        (lambda: layers.StackMachine(4, dropout=1.0), "dropout=1.0: must be in"),
        (lambda: layers.ReplicaDropout(1.0), "rate=1.0: must be in"),
        (lambda: layers.RecurrentEncoder(4, layers=0), "layers=0: must be at least 1"),
        (lambda: layers.RecurrentDecoder(4, 4, 0), "layers=0: must be at least 1"),
        (lambda: models.NeuralGPU(9, layers=0), "layers=0: must be at least 1"),
        (lambda: models.PooledNeuralGPU(9, layers=0), "layers=0: must be at least 1"),
        (lambda: models.RNNSeq2Seq(9, layers=0), "layers=0: must be at least 1"),
        (lambda: models.StackRNN(9, stack_depth=1), "depth=1: must be at least 2"),
        (lambda: layers.StackMachine(4, stacks=0), "stacks=0: must be at least 1"),
        (lambda: layers.StackMachine(4, tops=0), "tops=0: must be at least 1"),
        (
            lambda: models.Ensemble([]),
            "must be a list of models, not an empty",
        ),
        (
            lambda: models.Ensemble([models.NeuralGPU(v, 4) for v in (9, 8)]),
            r"members: vocabularies of \[8, 9\] symbols; must be one",
        ),
        (lambda: models.NeuralGPU(9, maps="4"), "^maps='4': must be a whole number"),
        (
            lambda: models.HybridSeq2Seq(9, memory_steps=0),
            "steps=0: must be at least 1",
        ),
        (lambda: models.NeuralGPU(9, width=0), "^width=0: must be at least 1"),
        (lambda: models.FixedMemorySeq2Seq(9, contexts=0), "contexts=0: must be at"),
        (lambda: layers.MemoryAttention(0), "units=0: must be at least 1"),
        (lambda: models.StackRNN(9, units=0), "units=0: must be at least 1"),
        (lambda: layers.TuringMachine(0), "units=0: must be at least 1"),
        (lambda: layers.TuringMachine(4, memory_width=0), "memory_width=0: must be at"),
        (lambda: layers.TuringHeads(0), "read_heads=0: must be at least 1"),
        (lambda: layers.TuringHeads(1, 0), "write_heads=0: must be at least 1"),
        (lambda: layers.TuringHeads(1, 1, -1), "shift_range=-1: must be at least 0"),
        (lambda: layers.FirstRow(0), "width=0: must be at least 1"),
        (
            lambda: layers.RecurrentDecoder(4, 4, attention_score="x"),
            "attention_score=x: not a legal value; choose one of state, additive, dot",
        ),
        (
            lambda: layers.RecurrentDecoder(4, 4, attention_scoring="x"),
            "scoring='x': unknown",
        ),
        (lambda: layers.PooledDecoder(layers.TapeCGRU(3)), "units without a tape"),
        (lambda: layers.PooledDecoder(layers.DiagonalCGRU(3)), "takes a CGRU, not"),
        (lambda: layers.UnsharedEncoder([layers.TapeCGRU(3)]), "units without a tape"),
        (
            lambda: layers.UnsharedEncoder([keras.layers.Dense(3)]),
            "UnsharedEncoder: takes a CanvasUnit, not Dense",
        ),
        (lambda: layers.DiagonalEncoder(layers.CGRU(3)), "takes a DiagonalCGRU, not"),
        (lambda: layers.CGRU("24"), "^maps='24': must be a whole number"),
        (lambda: layers.CGRU(24.0), "^maps=24.0: must be a whole number"),
        (lambda: layers.CGRU(True), "^maps=True: must be a whole number"),
        (lambda: layers.CGRU(6, kernel_size=(3, 3, 3)), "must be one odd whole number"),
        (lambda: layers.CGRU(6, kernel_size=True), "kernel_size=True: must be one odd"),
        (lambda: layers.ActiveMemoryEncoder(np.ones((3, 3))), "Unit, not ndarray"),
        (lambda: layers.CGRU(6, cutoff=float("inf")), "cutoff=inf: must be a finite"),
        (
            lambda: layers.CGRU(6, kernel_size=None),
            "kernel_size=None: must be one odd whole",
        ),
        (
            lambda: layers.CGRU(6, kernel_size=3.0),
            "kernel_size=3.0: must be one odd whole",
        ),
        (lambda: layers.CGRU(6, cutoff=NAN), "cutoff=nan: must be a finite number"),
        (lambda: layers.CGRU(6, cutoff=None), "cutoff=None: must be a finite number"),
        (lambda: layers.CGRU(6, gate_bias=NAN), "gate_bias=nan: must be one finite"),
        (
            lambda: layers.CGRU(6, gate_bias=(1, 2, 3)),
            "must be one finite number, or two",
        ),
        (lambda: layers.CGRU(6, gate_bias=None), "gate_bias=None: must be one finite"),
        (lambda: layers.FirstRow(2.5), "width=2.5: must be a whole number"),
        (lambda: layers.TuringMachine(4, memory_rows=0), "memory_rows=0: must be at"),
        (lambda: layers.RecurrentEncoder(0), "units=0: must be at least 1"),
        (lambda: layers.RecurrentDecoder(0, 4), "units=0: must be at least 1"),
        (lambda: layers.RecurrentDecoder(4, 0), "readout_size=0: must be at least 1"),
        (lambda: models.NeuralGPU(0), "vocabulary_size=0: must be at least 1"),
        (lambda: models.RNNSeq2Seq(9, embedding_size=0), "embedding_size=0: must be"),
        (lambda: models.NeuralGPU(9, relaxations=0), "relaxations=0: must be at least"),
        (lambda: layers.ReplicaDropout("x"), "rate='x': must be in"),
        (lambda: layers.ActiveMemoryEncoder(24), "takes a CanvasUnit, not int"),
        (lambda: layers.ActiveMemoryEncoder("gru"), "takes a CanvasUnit, not str"),
        (lambda: models.Ensemble(models.NeuralGPU(9, 4)), "must be a list of models"),
        (lambda: models.Ensemble([keras.Sequential()]), "Sequential has no `start`"),
        (lambda: models.Ensemble([3]), "members: int has no `start`; give models"),
        (
            lambda: models.NeuralGPU(9, 4, gradient_checkpointing="false"),
            "gradient_checkpointing='false': must be True or False",
        ),
        (
            lambda: models.NeuralGPU(9, 4, dropout_by_length="no"),
            "dropout_by_length='no': must be True or False",
        ),
        (
            lambda: layers.FixedMemory(3, position_encoding="no"),
            "position_encoding='no': must be True or False",
        ),
        (
            lambda: models.RNNSeq2Seq(9, bidirectional="no"),
            "bidirectional='no': must be True or False",
        ),
        (
            lambda: layers.RecurrentEncoder(4, bidirectional=2),
            "bidirectional=2: must be True or False",
        ),
        (
            lambda: layers.DiagonalEncoder(
                layers.DiagonalCGRU(3), saturation_weight=-1.0
            ),
            "saturation_weight=-1.0: must be a finite number, at least 0",
        ),
        (
            lambda: layers.DiagonalEncoder(
                layers.DiagonalCGRU(3), saturation_weight="x"
            ),
            "saturation_weight='x': must be a finite",
        ),
    ],
)
def test_what_is_wrong_is_said_in_one_line(wrong, message):
    with pytest.raises(ValueError, match=message) as error:
        wrong()
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("shape", [(2, 4), (1, 5), (2,)])
def test_numbers_to_draw_with_of_another_shape(shape):
    canvases = np.ones((2, 5), "int32"), np.array([5, 3])
    with pytest.raises(InputError, match=r"^uniform has the shape \(.*not \(2, 5\) as"):
        decoding.sample(
            models.NeuralGPU(9, 4), *canvases, np.zeros(shape), SamplingConfig()
        )


def test_a_penalty_that_is_no_number():
    canvases = np.ones((2, 5), "int32"), np.array([5, 3])
    with pytest.raises(InputError, match="^length_penalty='a': must be a number"):
        decoding.beam_search(models.NeuralGPU(9, 4), *canvases, 2, length_penalty="a")


@pytest.mark.parametrize(
    "search",
    [
        decoding.greedy,
        decoding.all_symbols,
        lambda *canvases: decoding.beam_search(*canvases, 2),
    ],
)
def test_a_clone_that_has_lost_its_class_can_not_be_decoded(search):
    clone = keras.models.clone_model(models.NeuralGPU(9, 4))
    with pytest.raises(InputError, match="^Functional: has no `start`, `step` and"):
        search(clone, np.ones((1, 3), "int32"), np.array([3]))


@pytest.mark.parametrize(
    "source, size",
    [((5,), (1,)), ((2, 5), ()), ((2, 5), (3,)), ((2, 5, 1), (2,))],
)
def test_a_search_says_what_shapes_it_takes(source, size):
    model, symbols = models.NeuralGPU(9, 4), np.ones(source, "int32")
    sizes = np.full(size, 5, "int32")
    for search in (decoding.greedy, lambda *x: decoding.beam_search(*x, beam=2)):
        with pytest.raises(InputError, match="they must be .h, n. and .h,., a size"):
            search(model, symbols, sizes)


def test_numbers_of_numpy_are_numbers():
    options = dict(kernel_size=np.int64(5), cutoff=np.float32(1.25))
    unit = layers.CGRU(np.int32(6), gate_bias=np.float64(0.5), **options)
    same = layers.CGRU(6, kernel_size=5, cutoff=1.25, gate_bias=0.5)
    config = keras.saving.serialize_keras_object(unit)["config"]
    expected = keras.saving.serialize_keras_object(same)["config"]
    assert config | {"name": ""} == expected | {"name": ""}
    assert layers.CGRU(6, gate_bias=np.array([1.0, 2.0])).first_biases == (1.0, 2.0)
    assert layers.FirstRow(np.int64(2))(np.ones((1, 3, 6))).shape == (1, 3, 2, 6)


@pytest.mark.parametrize("name", sorted(models.MODELS))
def test_numbers_of_numpy_are_those_of_a_model(name):
    """Its whole numbers, which its layers and Keras's get."""
    parameters = inspect.signature(models.MODELS[name].__init__).parameters
    small = dict(maps=6, units=4, embedding_size=5, memory_rows=8, contexts=3)
    options = {
        option: small.get(option, parameter.default)
        for option, parameter in parameters.items()
        if type(parameter.default) is int or option in small
    }
    numpys = {option: np.int64(value) for option, value in options.items()}
    model = models.MODELS[name](np.int64(9), **numpys)
    same = models.MODELS[name](9, **options)
    config, expected = (one.get_config() | {"name": ""} for one in (model, same))
    assert json.dumps(config, default=str) == json.dumps(expected, default=str)
    symbols = np.full((2, 4), 5, "int32")
    found = decoding.greedy(model, symbols, np.array([4, 3]))
    assert found.symbols.shape == (2, 4)


def test_units_come_from_anything_that_can_be_gone_through():
    assert len(layers.ActiveMemoryEncoder(layers.CGRU(4) for _ in range(2)).units) == 2


def test_an_ensemble_takes_a_model_of_ones_own():
    """Which has what a model has to say, of whatever class."""

    class Own(keras.Model):
        sized, attends = True, False

        def __init__(self, inner):
            super().__init__()
            self.inner = inner
            self.built = True

        @property
        def output_shape(self):
            return self.inner.output_shape

        def start(self, source, size):
            return self.inner.start(source, size)

        def step(self, state, previous, t):
            return self.inner.step(state, previous, t)

        def stepper(self):
            return self.inner.stepper()

    inner = models.NeuralGPU(9, 4)
    ensemble = models.Ensemble([Own(inner), inner])
    symbols, size = np.full((2, 4), 5, "int32"), np.array([4, 3])
    found, expected = (decoding.greedy(x, symbols, size) for x in (ensemble, inner))
    np.testing.assert_array_equal(found.symbols, expected.symbols)


def test_a_unit_without_an_initializer_has_that_of_keras():
    unit = layers.CGRU(6, kernel_initializer=None)
    assert isinstance(unit.kernel_initializer, keras.initializers.GlorotUniform)
    unit.build()


@pytest.mark.parametrize(
    "layer, shape",
    [
        (lambda: layers.CGRU(6), (2, 5, 2, 6)),
        (lambda: layers.StackMachine(4), (2, 5, 6)),
        (lambda: layers.RecurrentEncoder(4), (2, 5, 6)),
    ],
    ids=["CGRU", "StackMachine", "RecurrentEncoder"],
)
def test_a_variable_of_tensorflow_is_an_input(layer, shape):
    layer, values = layer(), np.random.default_rng(1).normal(size=shape)
    variable = tf.Variable(values, dtype="float32")
    found = keras.tree.flatten(layer(variable))
    expected = keras.tree.flatten(layer(tf.constant(values, "float32")))
    for value, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(value, other)
