"""The hand-written gradient of the loop, against autodiff and against differences."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from loop_problem import Problem

from neural_gpu_tf.layers import (
    CGRU,
    DiagonalCGRU,
    ResidualUnit,
    TapeCGRU,
    TapeResidualUnit,
    active_memory,
    active_memory_forward,
)
from neural_gpu_tf.layers.active_memory_tensors import segment_sizes

CASES = [  # unit, width, kernel_size, cutoff (if it has one), layers
    (CGRU, 1, (5, 1), 1.2, 1),
    (CGRU, 2, (3, 3), 1.0, 3),
    (CGRU, 4, (5, 3), 1.2, 2),
    (TapeCGRU, 1, (3, 1), 1.2, 2),
    (TapeCGRU, 1, (3, 3), 1.0, 1),
    (TapeCGRU, 2, (5, 5), 1.2, 1),
    (TapeCGRU, 2, (3, 3), 1.2, 3),
    (TapeCGRU, 4, (5, 3), 1.0, 2),
    (ResidualUnit, 2, (3, 3), None, 2),
    (TapeResidualUnit, 2, (3, 3), None, 2),
    (DiagonalCGRU, 1, (3, 1), None, 2),
    (DiagonalCGRU, 2, (3, 3), None, 1),
]
DROPPED = [CASES[i] for i in (2, 6, 11, 8, 9)]
"""Each unit once, with dropout; the last two, units of one case, without it too."""
NAMES = "unit, width, kernel_size, cutoff, layers"


def assert_equal(got, expected, atol=1e-9):
    for a, b in zip(got, expected, strict=True):
        np.testing.assert_allclose(a, b, atol=atol)
        assert np.abs(b).max() > 1e-4  # it says something


def assert_outputs_equal(problem, got, expected):
    saturates = problem.units[0].saturates
    assert_equal(got[: 2 + saturates], expected[: 2 + saturates])
    assert saturates or not np.any(got[2])


@pytest.mark.parametrize(NAMES, [x for x in CASES if x not in DROPPED[:3]])
def test_run_is_a_loop_of_plain_calls(unit, width, kernel_size, cutoff, layers):
    """Values, and the gradients of every input and every weight."""
    problem = Problem(unit, width, kernel_size, cutoff, layers)
    assert_outputs_equal(problem, problem.run(), problem.naive())
    assert_equal(problem.gradients(problem.run), problem.gradients(problem.naive))


@pytest.mark.parametrize(NAMES, DROPPED)
def test_gradient_with_dropout(unit, width, kernel_size, cutoff, layers):
    """The backward loop draws the masks of the forward loop again."""
    problem = Problem(unit, width, kernel_size, cutoff, layers)
    rates = tf.reshape(tf.constant([0.2, 0.5, 0.3]), (3, 1, 1, 1))
    rate = rates if layers > 1 else 0.3  # of each example, or of all
    dropout = dict(dropout=rate, seed=keras.random.SeedGenerator(1).next())
    assert_outputs_equal(problem, problem.run(**dropout), problem.naive(**dropout))
    assert_equal(
        problem.gradients(lambda: problem.run(**dropout)),
        problem.gradients(lambda: problem.naive(**dropout)),
    )
    assert np.abs(problem.run(**dropout)[1] - problem.run()[1]).max() > 1e-3


@pytest.mark.parametrize(
    "case, graph",
    [
        (CASES[2], False),
        (CASES[2], True),
        (CASES[6], False),
        pytest.param(CASES[6], True, marks=pytest.mark.slow),
        (CASES[-1], False),
        pytest.param(CASES[-1], True, marks=pytest.mark.slow),
    ],
)
def test_checkpoints_change_nothing(case, graph, monkeypatch):
    """Two segments of 3 steps, of which the last is one too many, or 3 of 2."""
    problem = Problem(*case)
    dropout = dict(dropout=0.3, seed=keras.random.SeedGenerator(1).next())
    compiled = (lambda f: tf.function(f, autograph=False)) if graph else lambda f: f

    def outcome(**options):
        run = lambda: problem.run(**dropout, **options)  # noqa: E731
        return compiled(run)(), compiled(lambda: problem.gradients(run))()

    outputs, gradients = outcome()
    for segments in [None] if graph else (None, (3, 2)):
        if segments:
            monkeypatch.setitem(
                active_memory_forward.__dict__,
                "segment_sizes",
                lambda *_, cut=segments: cut,
            )
        got = outcome(checkpoints=True)
        assert_outputs_equal(problem, got[0], outputs)
        assert_equal(got[1], gradients)


@pytest.mark.parametrize("case, rate", [(CASES[4], 0.0), (CASES[-2], 0.3)])
def test_gradient_is_the_slope_in_double_precision(case, rate):
    """Central differences along a direction of each input and each weight."""
    problem = Problem(*case)
    dropout = dict(dropout=rate, seed=keras.random.SeedGenerator(1).next())
    dropout = dropout if rate else {}
    loss = tf.function(lambda: problem.loss(problem.run(**dropout)))
    rng = np.random.default_rng(3)
    for i, gradient in enumerate(problem.gradients(lambda: problem.run(**dropout))):
        direction = rng.standard_normal(gradient.shape)
        if i == 0:  # no canvas has anything beyond its size
            direction *= problem.canvas.numpy() != 0
        slope = problem.slope(loss, i, direction, 1e-5)
        expected = np.sum(gradient * direction)
        np.testing.assert_allclose(slope, expected, rtol=1e-5, atol=1e-7)


def test_gradient_is_the_slope_in_single_precision():
    """Inside a tf.function, along the gradient of each input and each weight."""
    problem = Problem(*CASES[0], dtype="float32")
    loss = tf.function(lambda: problem.loss(problem.run()))
    gradients = tf.function(lambda: problem.gradients(problem.run))()
    for i, gradient in enumerate(gradients):
        norm = np.linalg.norm(gradient)
        slope = problem.slope(loss, i, gradient.numpy() / norm, 3e-3)
        np.testing.assert_allclose(slope, norm, rtol=1e-2)


@pytest.mark.parametrize("case", [CASES[1], CASES[6], CASES[-1], CASES[-3]])
def test_each_output_alone_has_a_gradient(case):
    problem = Problem(*case)
    on = [problem.on_canvas, problem.on_readouts, problem.on_costs]
    count = 2 + problem.units[0].saturates

    def each(run):
        with tf.GradientTape(persistent=True) as recording:
            outputs = run()
            losses = [tf.reduce_sum(outputs[i] * on[i]) for i in range(count)]
        return [recording.gradient(loss, problem.variables) for loss in losses]

    for one, other in zip(each(problem.run), each(problem.naive), strict=True):
        for a, b in zip(one, other, strict=True):
            np.testing.assert_allclose(a, b, atol=1e-9)


@pytest.mark.parametrize(
    "case, relaxations, checkpoints",
    [
        (CASES[0], 3, False),
        (CASES[1], 2, True),
        (CASES[-2], 2, False),
        (CASES[-1], 3, True),
    ],
)
def test_steps_take_sets_of_weights_in_turn(case, relaxations, checkpoints):
    """Values and gradients, under dropout; 5 steps are no multiple of 2 or 3."""
    problem = Problem(*case, relaxations=relaxations)
    dropout = dict(dropout=0.3, seed=keras.random.SeedGenerator(1).next())
    run = lambda: problem.run(**dropout, checkpoints=checkpoints)  # noqa: E731
    assert_outputs_equal(problem, run(), problem.naive(**dropout))
    assert_equal(
        problem.gradients(run), problem.gradients(lambda: problem.naive(**dropout))
    )


def test_a_set_that_no_step_takes_has_no_gradient():
    problem = Problem(*CASES[-1], relaxations=7)
    expected = problem.gradients(problem.naive)
    found = problem.gradients(problem.run)
    assert sum(b is None for b in expected) == 2 * len(problem.units[0].weights)
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, np.zeros(a.shape) if b is None else b, atol=1e-9)


@pytest.mark.parametrize(
    "steps, sets, expected",
    [
        (1, 1, (1, 1)),
        (5, 1, (5, 1)),
        (41, 1, (21, 2)),
        (640, 1, (92, 7)),
        (41, 6, (7, 6)),
        (400, 6, (67, 6)),
        (2, 3, (1, 3)),
    ],
)
def test_segments_are_whole_rounds_of_the_sets(steps, sets, expected):
    for n in (steps, tf.constant(steps)):
        assert tuple(map(int, segment_sizes(n, sets))) == expected


@pytest.mark.parametrize("relaxations", [1, 3])
def test_encode_is_run_without_records(relaxations):
    problem = Problem(CGRU, 2, (3, 3), 1.2, 2, relaxations=relaxations)
    canvas = tf.convert_to_tensor(problem.canvas)

    @tf.function(autograph=False)
    def encode():
        units, size = problem.units, problem.size
        return active_memory.encode(units, canvas, size, relaxations=relaxations)

    np.testing.assert_allclose(encode(), problem.run()[0], atol=1e-12)
    # One set is not looked for among others.
    graph = encode.get_concrete_function().graph.as_graph_def()
    nodes = [*graph.node, *(n for f in graph.library.function for n in f.node_def)]
    assert any(node.op == "GatherV2" for node in nodes) == (relaxations > 1)
