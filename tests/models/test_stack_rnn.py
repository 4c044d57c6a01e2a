"""The stack network against the paper's equations, and what they let it do."""

import keras
import numpy as np
import oracles
import oracles_recurrent
import oracles_stack
import pytest
import tensorflow as tf

from neural_gpu_tf.layers import StackMachine, TuringMachine
from neural_gpu_tf.models.stack_rnn import StackRNN

VOCABULARY = 7
SIZES = np.array([4, 2, 1, 3], "int32")
N = 4
INPUTS = dict(  # a hole in the source, none, only a hole beyond the size, an empty one
    source=np.array([[3, 0, 5, 6], [2, 4, 6, 3], [5, 0, 1, 2], [0, 0, 0, 4]], "int32"),
    target=np.random.default_rng(0).integers(0, VOCABULARY, (4, N), "int32"),
    size=SIZES,
)
VARIANTS = [
    dict(stacks=2),
    dict(stacks=3, stack_tops=1, stack_depth=3),
    dict(stacks=2, recurrent=False),
]
variants = pytest.mark.parametrize("options", VARIANTS)


@pytest.fixture
def new_model():
    """Makes a model in float64."""
    before = keras.config.dtype_policy()
    keras.config.set_dtype_policy("float64")
    yield lambda **options: oracles.randomize(
        StackRNN(VOCABULARY, units=3, embedding_size=2, **options), scale=0.8
    )
    keras.config.set_dtype_policy(before)


def equation(model, b):
    n, weights = SIZES[b], oracles_stack.model_weights(model)
    source, _ = oracles_recurrent.existing(INPUTS["source"][b], n)
    return oracles_stack.stack_rnn(source, INPUTS["target"][b, :n], weights)


@variants
def test_is_the_equation_and_its_gradient_the_slope(options, new_model):
    """The slope along a random direction of each weight; and the stacks."""
    model, rng = new_model(**options), np.random.default_rng(1)
    cotangent = rng.standard_normal((len(SIZES), N, VOCABULARY))
    with tf.GradientTape() as recording:
        logits = model(INPUTS)
        loss = tf.reduce_sum(logits * cotangent)
    weights = model.trainable_variables
    gradients = recording.gradient(loss, weights)
    for b, n in enumerate(SIZES):
        expected, stacks = equation(model, b)
        np.testing.assert_allclose(logits[b, :n], expected, atol=1e-10)
        assert not logits[b, n:].numpy().any()
        state = model.start(INPUTS["source"][b : b + 1], SIZES[b : b + 1])
        for t in range(n):
            state, _ = model.step(state, INPUTS["target"][b : b + 1, t - 1], t)
        found = np.array(state.machine.stacks[0])
        for stack, places in zip(stacks, found, strict=True):
            np.testing.assert_allclose(places[: len(stack)], stack, atol=1e-10)
            np.testing.assert_allclose(places[len(stack) :], -1, atol=1e-10)

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


def test_a_stack_with_room_for_every_step_is_one_without_an_end(new_model):
    """And what a shallower one can't hold is lost."""
    inputs = INPUTS | dict(source=np.full((4, N), 3), size=np.full(4, N))
    endless = np.array(new_model(stacks=2, stack_tops=1)(inputs))
    for depth in (2 * N, 3):
        logits = new_model(stacks=2, stack_tops=1, stack_depth=depth)(inputs)
        apart = np.abs(logits - endless).max()
        assert apart < 1e-12 if depth == 2 * N else apart > 1e-9


def test_weights_by_hand_turn_a_sequence_round(new_model):
    """It pushes what it reads and pops what it writes: last in, first out."""
    model = StackRNN(
        5, units=4, embedding_size=4, stacks=1, stack_tops=1, dtype="float64"
    )
    weights = {weight.name: weight for weight in model.machine.weights}
    for weight in model.trainable_variables:
        weight.assign(np.zeros(weight.shape))
    big = 60.0
    # h = (reading, the symbol that is read is 4, writing, the top is more than 1/2)
    weights["input_kernel"].assign(big * np.diag([2, 2, 2, 1]))
    weights["top_kernel"].assign(big * np.array([[0, 0, 0, 2.0]]))
    # Reading, h = (1, is it 4?, 0, ·); writing, h = (0, 0, 1, the top).
    source = np.array([[0] * 4, [0] * 4, [0] * 4, [1, -1, -1, -2], [1, 1, -1, -2]])
    model.source_embedding.embeddings.assign(source)
    target = np.tile([-1.0, -1.0, 1.0, -1.0], (5, 1))
    model.target_embedding.embeddings.assign(target)
    actions = big * np.array([[1, 0, 0], [0, 0, 0], [0, 1, 0], [0, 0, 0]])
    weights["action_kernel"].assign(actions)
    push = big * np.array([[-1.0], [2.0], [0.0], [0.0]])
    weights["push_kernel"].assign(push)
    readout = np.zeros((4, 5))
    readout[2, 3], readout[3, 4] = 1, 2  # 3 unless the top says 4
    model.readout.kernel.assign(readout)
    source = np.array([[3, 4, 4, 3, 4, 3, 3, 3], [4, 4, 3, 4, 3, 3, 3, 4]])
    logits = model(dict(source=source, target=source, size=np.array([8, 8])))
    np.testing.assert_array_equal(np.argmax(logits, axis=-1), source[:, ::-1])


@pytest.mark.parametrize("depth", [0, 12])
def test_stacks_given_deepen_by_the_steps(depth):
    layer = StackMachine(3, stacks=2, tops=2, depth=depth)
    _, state = layer(np.ones((2, 4, 5), "float32"))
    outputs, after = layer(np.ones((2, 3, 5), "float32"), state=state)
    given = [x.shape for x in state]
    shapes = layer.compute_output_shape((2, 3, 5), None, given, training=False)
    assert shapes == (outputs.shape, tuple(x.shape for x in after))


@pytest.mark.parametrize(
    "other",
    [TuringMachine(3), StackMachine(4, stacks=2), StackMachine(3, depth=9)],
    ids=["of another machine", "of more units", "of another depth"],
)
def test_a_state_of_another_layer_is_refused(other):
    layer, vectors = StackMachine(3, stacks=2, depth=12), np.ones((2, 4, 5), "float32")
    _, state = other(vectors)
    with pytest.raises(ValueError, match=f"{layer.name}: a state of shapes .* is not"):
        layer(vectors, state=state)
