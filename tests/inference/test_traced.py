"""Graphs follow the weights of their models."""

import copy
import dataclasses

import keras
import numpy as np
import pytest
import tensorflow as tf
import tiny

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.inference import Solver, TextSolver
from neural_gpu_tf.models import build_model
from neural_gpu_tf.tasks import TASKS

QUICK = dataclasses.replace(tiny.MODEL, model="neural_gpu")
SOURCE, SIZE = np.array([[3, 4, 5], [4, 3, 3]], "int32"), np.array([3, 2], "int32")


def adapt(model):
    """Gives embeddings more variables, beside those that they have."""
    for layer in model.layers:
        if isinstance(layer, keras.layers.Embedding):
            layer.enable_lora(2)


def round_off(model):
    """Replaces variables."""
    model.quantize("int8")


@pytest.mark.parametrize("change", [adapt, round_off])
def test_a_solver_follows_what_replaces_the_variables(change):
    model, rng = tiny.new_model(9, QUICK), np.random.default_rng(0)
    solver = Solver(model)
    before = solver(SOURCE, SIZE)
    change(model)
    for weight in model.weights:
        if weight.dtype == "float32":
            weight.assign(rng.normal(size=weight.shape))
    expected = Solver(model)(SOURCE, SIZE)
    assert np.any(expected != before)
    np.testing.assert_array_equal(solver(SOURCE, SIZE), expected)


def test_nothing_is_traced_again_without_need():
    model = tiny.new_model(9, QUICK)
    solver = Solver(model)
    graph = solver.__call__
    solver(SOURCE, SIZE)
    model.set_weights([x + 1 for x in model.get_weights()])
    assert solver.__call__ is graph
    assert graph.experimental_get_tracing_count() == 1
    assert Solver(model).__call__ is not graph


def test_a_deep_copy_has_weights_and_graphs_of_its_own():
    solver = Solver(tiny.new_model(9))
    before = solver(SOURCE, SIZE)
    other = copy.deepcopy(solver)
    np.testing.assert_array_equal(other(SOURCE, SIZE), before)
    solver.model.set_weights([0 * x for x in solver.model.get_weights()])
    assert np.any(solver(SOURCE, SIZE) != before)
    np.testing.assert_array_equal(other(SOURCE, SIZE), before)


def test_what_a_solver_of_texts_is_traced_of():
    model = build_model(QUICK, TASKS["badd"].vocabulary_size)
    solver = TextSolver(model, TASKS["badd"], 9)
    graph = solver.solve
    assert solver.solve is graph
    model.quantize("int8")
    assert solver.solve is not graph
    assert solver.solve(tf.constant(["1+1"]))["valid"].numpy().all()


def test_another_backend_is_told(monkeypatch):
    solver = Solver(tiny.new_model(9))
    monkeypatch.setattr(keras.backend, "backend", lambda: "jax")
    with pytest.raises(InputError, match="^KERAS_BACKEND=jax: this is a TensorFlow"):
        solver(SOURCE, SIZE)
