"""What every model with a canvas is held to."""

import inspect
import json

import keras
import numpy as np
import oracles
import pytest
import tensorflow as tf

from neural_gpu_tf.models import MODELS, NeuralGPU, build_model
from neural_gpu_tf.models.active_memory_model import ActiveMemoryModel
from neural_gpu_tf.options import ModelConfig

VOCABULARY, WIDTH = 7, 2
SIZES = np.array([4, 2, 1], "int32")
N = 4

CANVAS_MODELS = {
    name: cls for name, cls in MODELS.items() if issubclass(cls, ActiveMemoryModel)
}
models = pytest.mark.parametrize("cls", CANVAS_MODELS.values(), ids=CANVAS_MODELS)
QUICK = ("extended_neural_gpu", "neural_gpu")  # where a test of all takes long


def new_model(cls, **kwargs):
    return oracles.randomize(cls(VOCABULARY, maps=3, width=WIDTH, **kwargs))


def batch(sizes=SIZES, columns=N, seed=0):
    """Symbols also where an example has no columns: they must not matter."""
    rng = np.random.default_rng(seed)
    source, target = rng.integers(0, VOCABULARY, (2, len(sizes), columns), "int32")
    return dict(source=source, target=target, size=np.array(sizes, "int32"))


def example(inputs, b):
    """Example b alone, on a tensor of its own size."""
    n = inputs["size"][b]
    return {
        name: x[b : b + 1] if name == "size" else x[b : b + 1, :n]
        for name, x in inputs.items()
    }


def step_by_step(model, inputs):
    """The state at the start and after each step, and the logits [batch, n, v]."""
    state = model.start(inputs["source"], inputs["size"])
    states, logits = [state], []
    for t in range(inputs["source"].shape[1]):
        previous = inputs["target"][:, t - 1]  # at t = 0 any symbol: the tape is empty
        state, scores = model.step(state, previous, t)
        states.append(state)
        logits.append(scores)
    return states, np.stack(logits, axis=1)


@models
def test_an_example_alone_is_the_example_in_a_batch(cls):
    model, inputs = new_model(cls), batch()
    logits = np.array(model(inputs))
    states, stepped = step_by_step(model, inputs)
    for b, n in enumerate(SIZES):
        alone = example(inputs, b)
        np.testing.assert_allclose(logits[b, :n], model(alone)[0], atol=1e-5)
        assert not logits[b, n:].any()
        states_alone, stepped_alone = step_by_step(model, alone)
        np.testing.assert_allclose(stepped[b, :n], stepped_alone[0], atol=1e-5)
        for state, state_alone in zip(states, states_alone, strict=False):
            for x, y in zip(
                keras.tree.flatten(state), keras.tree.flatten(state_alone), strict=True
            ):
                x, y = np.array(x[b]), np.array(y[0])
                # Canvases lie by rows, [w, n, m].
                x = x[:, :n] if x.ndim == 3 else x[:n] if x.ndim else x
                np.testing.assert_allclose(x, y, atol=1e-5)


@models
def test_the_gradient_of_a_batch_is_the_sum_over_its_examples(cls):
    model, inputs = new_model(cls, layers=1), batch()

    def gradient(inputs):
        with tf.GradientTape() as recording:
            loss = tf.reduce_sum(tf.sin(3 * model(inputs, training=True)))
        return [
            np.array(tf.convert_to_tensor(g))
            for g in recording.gradient(loss, model.trainable_variables)
        ]

    alone = [gradient(example(inputs, b)) for b in range(len(SIZES))]
    for whole, *parts in zip(gradient(inputs), *alone, strict=True):
        np.testing.assert_allclose(whole, sum(parts), atol=1e-4)


@models
def test_symbols_beyond_the_size_do_not_matter(cls):
    model, inputs, other = new_model(cls), batch(), batch(seed=1)
    for name in ("source", "target"):
        inside = np.arange(N) < SIZES[:, None]
        other[name] = np.where(inside, inputs[name], other[name])
        assert (other[name] != inputs[name]).any()
    np.testing.assert_array_equal(model(other), model(inputs))
    stepped, stepped_other = (step_by_step(model, x)[1] for x in (inputs, other))
    for b, n in enumerate(SIZES):
        np.testing.assert_array_equal(stepped[b, :n], stepped_other[b, :n])


@models
def test_step_by_step_is_teacher_forcing(cls):
    model, inputs = new_model(cls, layers=3), batch()
    _, stepped = step_by_step(model, inputs)
    np.testing.assert_allclose(stepped, model(inputs), atol=1e-5)


@pytest.mark.parametrize(
    "cls",
    [
        pytest.param(cls, id=name, marks=[] if name in QUICK else pytest.mark.slow)
        for name, cls in CANVAS_MODELS.items()
    ],
)
def test_a_tf_function_with_unknown_shapes(cls):
    """Batch and columns unknown: the same logits and gradients as eagerly."""
    sets = 3 if cls is NeuralGPU else 1  # the last one takes one step of 4
    model, inputs = new_model(cls, layers=1, relaxations=sets), batch()

    def run(source, target, size):
        with tf.GradientTape() as recording:
            inputs = dict(source=source, target=target, size=size)
            logits = model(inputs, training=True)
            loss = tf.reduce_sum(logits**2)
        variables = [model.encoder.units[0].weights[0], model.readout.kernel]
        return logits, recording.gradient(loss, [v.value for v in variables])

    symbols = tf.TensorSpec([None, None], tf.int32)
    traced = tf.function(
        run,
        input_signature=[symbols, symbols, tf.TensorSpec([None], tf.int32)],
        autograph=False,
    )
    logits, gradients = run(**inputs)
    logits_traced, gradients_traced = traced(**inputs)
    np.testing.assert_allclose(logits_traced, logits, atol=1e-6)
    for a, b in zip(gradients_traced, gradients, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-5)

    @tf.function(input_signature=[symbols, symbols, tf.TensorSpec([None], tf.int32)])
    def step(source, target, size):
        state = model.start(source, size)
        return model.step(state, target[:, 0], tf.shape(size)[0] - 3)[1]

    np.testing.assert_allclose(step(**inputs), logits[:, 0], atol=1e-5)


ARGUMENTS = dict(  # no argument has its default
    vocabulary_size=VOCABULARY,
    maps=3,
    width=3,
    layers=1,
    kernel_size=5,
    cutoff=1.1,
    gate_bias=0.5,
    kernel_initializer=keras.initializers.Orthogonal(1.4),
    embedding_initializer=keras.initializers.RandomUniform(-1.7, 1.7),
    dropout=0.2,
    dropout_by_length=True,
    gradient_checkpointing=True,
    relaxations=2,
    padding="learned",
    seed=3,
    dtype="float32",
)


def arguments(cls):
    """Those of ARGUMENTS that the model takes."""
    parameters = inspect.signature(cls.__init__).parameters.keys() - {
        "self",
        "kwargs",
        "own",
    }
    assert parameters <= ARGUMENTS.keys()
    return {name: ARGUMENTS[name] for name in parameters}


@models
def test_config_and_files_give_the_model_back(cls, tmp_path):
    """Its config, its weights alone, and the model as a whole."""
    model = oracles.randomize(cls(**arguments(cls), name="mine"))
    config = model.get_config()
    parameters = arguments(cls).keys()
    assert parameters | {"name", "trainable"} == set(config)
    for name in parameters - {"dtype"}:
        if "initializer" not in name:
            assert config[name] == ARGUMENTS[name]
    copy = cls.from_config(json.loads(json.dumps(config)))
    assert json.dumps(copy.get_config()) == json.dumps(config)
    assert copy.encoder.units[0].kernel_initializer.gain == 1.4
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
def test_dropout_is_for_training_only_and_follows_from_the_seeds(cls):
    model, plain = new_model(cls, dropout=0.3, seed=2), new_model(cls)
    exact = plain(batch())
    np.testing.assert_array_equal(model(batch()), exact)
    np.testing.assert_array_equal(plain(batch(), training=True), exact)
    seeds = [v for v in model.variables if "seed" in v.path]
    assert seeds
    state = [keras.ops.copy(v.value) for v in seeds]
    first, second = model(batch(), training=True), model(batch(), training=True)
    assert np.abs(first - exact).max() > 0.01
    assert np.abs(first - second).max() > 0.01
    for variable, value in zip(seeds, state, strict=True):
        variable.assign(value)
    np.testing.assert_array_equal(model(batch(), training=True), first)


@models
def test_initial_weights_follow_from_the_random_seed(cls):
    def draw(seed):
        keras.utils.set_random_seed(seed)
        return cls(**arguments(cls)).get_weights()

    first, again, other = map(draw, (1, 1, 2))
    for a, b in zip(first, again, strict=True):
        np.testing.assert_array_equal(a, b)
    assert any((a != b).any() for a, b in zip(first, other, strict=True))


@pytest.mark.parametrize("name", CANVAS_MODELS)
def test_no_two_kernels_or_embeddings_start_alike(name):
    """E and E', U' and U'' and U, the units, the encoder and the decoder."""
    model = build_model(ModelConfig(model=name, maps=4), VOCABULARY)
    weights = oracles.model_weights(model)
    arrays = [weights.E, *([weights.E1] if hasattr(weights, "E1") else [])]
    for unit in weights.encoder + getattr(weights, "decoder", []):
        arrays += [x for key, x in vars(unit).items() if not key.startswith("B")]
    for i, array in enumerate(arrays):
        for other in arrays[:i]:
            assert array.shape != other.shape or np.abs(array - other).max() > 0.02
