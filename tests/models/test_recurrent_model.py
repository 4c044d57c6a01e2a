"""What every recurrent model is held to."""

import keras
import numpy as np
import tensorflow as tf
from recurrent_cases import (
    MODELS,
    NOTHING,
    SIZES,
    SOURCE,
    VOCABULARY,
    N,
    batch,
    build,
    compiled,
    example,
    models,
    policy,
    recurrent,
    shared,
    step_by_step,
)

from neural_gpu_tf.decoding import greedy


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
