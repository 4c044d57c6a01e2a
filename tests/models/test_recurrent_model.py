"""What every recurrent model is held to."""

import contextlib
import functools
import json

import contract_cases
import keras
import numpy as np
import oracles
import pytest
import tensorflow as tf

from neural_gpu_tf.decoding import greedy
from neural_gpu_tf.models.attention_seq2seq import AttentionSeq2Seq
from neural_gpu_tf.models.fixed_memory_seq2seq import FixedMemorySeq2Seq
from neural_gpu_tf.models.neural_turing_machine import NeuralTuringMachine
from neural_gpu_tf.models.pooled_neural_gpu import PooledNeuralGPU
from neural_gpu_tf.models.recurrent_model import RecurrentModel
from neural_gpu_tf.models.rnn_seq2seq import RNNSeq2Seq
from neural_gpu_tf.models.stack_rnn import StackRNN

VOCABULARY = 7
SIZES = np.array([4, 2, 1, 3], "int32")
N = 4
SOURCE = np.array([[3, 0, 5, 6], [2, 4, 6, 3], [5, 0, 1, 2], [0, 0, 0, 4]], "int32")
MODELS = dict(
    rnn=(RNNSeq2Seq, dict(cell="lstm")),
    attention=(AttentionSeq2Seq, dict(bidirectional=True, layers=1)),
    fixed_memory=(
        FixedMemorySeq2Seq,
        dict(contexts=3, position_encoding=True, layers=1),
    ),
    stack=(StackRNN, dict(stacks=2)),
    turing=(
        NeuralTuringMachine,
        dict(memory_rows=5, memory_width=3, read_heads=2),
    ),
    pooled=(PooledNeuralGPU, {}),
)
NOTHING = dict(stack=-1)  # what stands where an example has nothing; else 0
models = pytest.mark.parametrize("name", MODELS)
recurrent = pytest.mark.parametrize("name", [x for x in MODELS if x != "pooled"])


def build(cls, **kwargs):
    units = "maps" if cls is PooledNeuralGPU else "units"
    kwargs = {units: 3} | kwargs
    return oracles.randomize(cls(VOCABULARY, embedding_size=2, **kwargs))


@functools.cache
def shared(name):
    """A model that no test changes."""
    cls, options = MODELS[name]
    return build(cls, **options)


@functools.cache
def compiled(name):
    """Its logits, quicker than eagerly."""
    symbols, size = (
        tf.TensorSpec([None, None], tf.int32),
        tf.TensorSpec([None], tf.int32),
    )
    run = tf.function(
        lambda source, target, size: shared(name)(
            dict(source=source, target=target, size=size)
        ),
        input_signature=[symbols, symbols, size],
    )
    return lambda inputs: np.array(run(**inputs))


@contextlib.contextmanager
def policy(name):
    before = keras.config.dtype_policy()
    keras.config.set_dtype_policy(name)
    try:
        yield
    finally:
        keras.config.set_dtype_policy(before)


def batch(seed=0):
    """A hole in the source, none, only a hole beyond the size, and an empty one."""
    rng = np.random.default_rng(seed)
    target = rng.integers(0, VOCABULARY, (len(SIZES), N), "int32")
    return dict(source=SOURCE, target=target, size=SIZES)


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
        previous = inputs["target"][:, t - 1]  # at t = 0 any symbol: it is GO
        state, scores = model.step(state, previous, t)
        states.append(state)
        logits.append(scores)
    return states, np.stack(logits, axis=1)


@models
def test_an_example_alone_is_the_example_in_a_batch(name):
    model, forced, inputs = shared(name), compiled(name), batch()
    logits = forced(inputs)
    states, stepped = step_by_step(model, inputs)
    for b, n in enumerate(SIZES):
        alone = example(inputs, b)
        np.testing.assert_allclose(logits[b, :n], forced(alone)[0], atol=1e-5)
        assert not logits[b, n:].any()
        states_alone, stepped_alone = step_by_step(model, alone)
        np.testing.assert_allclose(stepped[b, :n], stepped_alone[0], atol=1e-5)
        for state, state_alone in zip(states, states_alone, strict=False):
            for x, y in zip(
                keras.tree.flatten(state), keras.tree.flatten(state_alone), strict=True
            ):
                x, y = np.array(x[b]), np.array(y[0])
                inside = tuple(slice(length) for length in y.shape)
                np.testing.assert_allclose(x[inside], y, atol=1e-5)
                beyond = x.copy()
                beyond[inside] = NOTHING.get(name, 0)
                np.testing.assert_allclose(beyond, NOTHING.get(name, 0), atol=1e-6)


@models
def test_the_gradient_of_a_batch_is_the_sum_over_its_examples(name):
    model, inputs = shared(name), batch()

    def gradient(inputs):
        with tf.GradientTape() as recording:
            loss = tf.reduce_sum(tf.sin(3 * model(inputs)))
        return [
            np.array(tf.convert_to_tensor(g))
            for g in recording.gradient(loss, model.trainable_variables)
        ]

    alone = [gradient(example(inputs, b)) for b in range(len(SIZES))]
    for whole, *parts in zip(gradient(inputs), *alone, strict=True):
        np.testing.assert_allclose(whole, sum(parts), atol=1e-4)


@models
def test_symbols_beyond_the_size_do_not_matter(name):
    model, inputs, other = shared(name), batch(), batch(seed=1)
    other["source"] = (SOURCE + 1) % VOCABULARY
    for key in ("source", "target"):
        inside = np.arange(N) < SIZES[:, None]
        other[key] = np.where(inside, inputs[key], other[key])
        assert (other[key] != inputs[key]).any()
    forced = compiled(name)
    np.testing.assert_array_equal(forced(other), forced(inputs))
    stepped, stepped_other = (step_by_step(model, x)[1] for x in (inputs, other))
    np.testing.assert_array_equal(stepped, stepped_other)


@recurrent
def test_blanks_in_the_source_are_passed_over(name):
    forced = compiled(name)
    source = np.array([[3, 5, 6, 0], [0, 3, 5, 6], [3, 0, 5, 6], [3, 5, 6, 4]])
    target = np.tile(batch()["target"][:1], (4, 1))
    logits = forced(dict(source=source, target=target, size=np.full(4, N)))
    for other in logits[1:3]:
        np.testing.assert_allclose(other, logits[0], atol=1e-6)
    assert np.abs(logits[3] - logits[0]).max() > 1e-3


@models
def test_every_symbol_of_the_source_matters_to_every_step(name):
    forced = compiled(name)
    inputs = dict(
        source=np.array([[3, 4, 5, 6]]),
        target=batch()["target"][:1],
        size=SIZES[:1],
    )
    logits = forced(inputs)
    for k in range(N):
        source = inputs["source"].copy()
        source[0, k] = 2
        other = forced(inputs | dict(source=source))
        assert (np.abs(other - logits).max(axis=-1) > 1e-5).all()


@models
def test_an_empty_source_gives_numbers_and_gradients(name):
    model, inputs = shared(name), example(batch(), 3)
    assert not inputs["source"].any()
    with tf.GradientTape() as recording:
        logits = model(inputs)
        loss = tf.reduce_sum(logits**2)
    assert np.isfinite(logits).all() and np.abs(logits).max() > 1e-3
    for gradient in recording.gradient(loss, model.trainable_variables):
        assert np.isfinite(tf.convert_to_tensor(gradient)).all()


@models
def test_step_by_step_is_teacher_forcing(name):
    model, inputs = shared(name), batch()
    _, stepped = step_by_step(model, inputs)
    np.testing.assert_allclose(stepped, compiled(name)(inputs), atol=1e-5)


@models
def test_go_comes_before_the_first_symbol_whatever_the_caller_says(name):
    model, inputs = shared(name), batch()
    state = model.start(inputs["source"], SIZES)
    got = [model.step(state, np.full(4, symbol), 0)[1] for symbol in range(VOCABULARY)]
    for logits in got:
        np.testing.assert_array_equal(logits, got[0])
    state, logits = model.step(state, np.full(4, 1), 0)
    follows = [model.step(state, np.full(4, symbol), 1)[1] for symbol in (1, 2)]
    assert np.abs(follows[0] - follows[1]).max() > 1e-3


@models
def test_logits_see_only_the_symbols_before_them(name):
    forced, inputs = compiled(name), batch() | dict(size=np.full(4, N, "int32"))
    logits = forced(inputs)
    for t in range(N):
        target = inputs["target"].copy()
        target[:, t:] = (target[:, t:] + 1) % VOCABULARY
        other = forced(inputs | dict(target=target))
        np.testing.assert_array_equal(other[:, : t + 1], logits[:, : t + 1])
        assert (np.abs(other - logits)[:, t + 1 :].max(axis=-1) > 1e-5).all()


@models
def test_every_tensor_of_the_state_leads_with_the_batch(name):
    """A beam gathers examples by their first axis."""
    model, inputs = shared(name), batch()
    order = np.array([2, 0, 0, 1, 3, 1])
    state = model.start(inputs["source"], SIZES)
    state, _ = model.step(state, inputs["target"][:, 0], 0)
    _, expected = model.step(state, inputs["target"][:, 0], 1)
    gathered = keras.tree.map_structure(lambda x: np.array(x)[order], state)
    _, got = model.step(gathered, inputs["target"][order, 0], 1)
    np.testing.assert_allclose(got, np.array(expected)[order], atol=1e-6)


@models
def test_greedy_decoding_is_likely_under_teacher_forcing(name):
    model, inputs = shared(name), batch()
    hypotheses = greedy(model, inputs["source"], SIZES)
    logits = model(inputs | dict(target=np.array(hypotheses.symbols)))
    best = np.argmax(np.array(logits)[:, :, 2:], axis=-1) + 2
    for b, n in enumerate(SIZES):
        output = np.array(hypotheses.symbols[b, :n])
        ends = np.flatnonzero(output == 2)
        n = ends[0] + 1 if len(ends) else n
        np.testing.assert_array_equal(output[:n], best[b, :n])


@models
def test_bfloat16(name):
    cls, options = MODELS[name]
    with policy("mixed_bfloat16"):
        model = build(cls, **options)
    inputs = batch()
    logits = model(inputs)
    assert logits.dtype == "bfloat16"
    assert all(v.dtype == "float32" for v in model.trainable_variables)
    np.testing.assert_allclose(
        np.array(logits, "float32"), shared(name)(inputs), atol=0.05
    )
    states, stepped = step_by_step(model, inputs)
    np.testing.assert_allclose(
        np.array(stepped, "float32"), np.array(logits, "float32"), atol=0.05
    )
    dtypes = [[x.dtype for x in keras.tree.flatten(state)] for state in states]
    assert dtypes[0] == dtypes[-1]  # a loop wants it


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
    return [model.encoder.backward[0].cell, model.decoder.cells[0]]


@recurrent
def test_config_gives_the_model_back(name):
    cls, _ = MODELS[name]
    given = arguments(cls)
    model = cls(**given, name="mine")
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
    copy.set_weights(oracles.randomize(model).get_weights())
    np.testing.assert_array_equal(copy(batch()), model(batch()))


@recurrent
def test_saving_and_loading(name, tmp_path):
    """As a whole, and its weights alone."""
    cls, _ = MODELS[name]
    model = oracles.randomize(cls(**arguments(cls)))
    model.save(tmp_path / "model.keras")
    whole = keras.models.load_model(tmp_path / "model.keras")
    assert type(whole) is cls
    np.testing.assert_array_equal(whole(batch()), model(batch()))
    _, logits = step_by_step(whole, batch())
    np.testing.assert_array_equal(logits, step_by_step(model, batch())[1])

    model.save_weights(tmp_path / "model.weights.h5")
    other = cls(**arguments(cls))
    assert np.abs(other(batch()) - model(batch())).max() > 1e-3
    other.load_weights(tmp_path / "model.weights.h5")
    np.testing.assert_array_equal(other(batch()), model(batch()))


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
def test_initial_weights_follow_from_the_random_seed(name):
    """And no two of them start alike, though one initializer draws many."""
    cls, _ = MODELS[name]

    def draw(seed):
        keras.utils.set_random_seed(seed)
        return cls(**arguments(cls)).get_weights()

    for a, b in zip(draw(1), draw(1), strict=True):
        np.testing.assert_array_equal(a, b)
    weights = [x for x in draw(2) if x.ndim == 2]
    for i, array in enumerate(weights):
        for other in weights[:i]:
            assert array.shape != other.shape or np.abs(array - other).max() > 0.05
