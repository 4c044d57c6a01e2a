"""What draws sets of weights together, alone and in training."""

import keras
import numpy as np
import oracles_relaxation
import pytest
import tensorflow as tf
import toy

from neural_gpu_tf.options import TrainingConfig
from neural_gpu_tf.runs import RunDirectory
from neural_gpu_tf.training import Trainer
from neural_gpu_tf.training import relaxation_pull as pull_file
from neural_gpu_tf.training.relaxation_pull import RelaxationPull
from neural_gpu_tf.training.strategy import mirrored_strategy
from neural_gpu_tf.training.validation import Judge
from neural_gpu_tf.weights import load_weights

SETS = 3


class Turns(keras.layers.Layer):
    """Three steps, each with its set of two kernels."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.kernels = [self.add_weight(shape=(3, 3)) for _ in range(2 * SETS)]

    def build(self, *_):
        self.built = True

    def call(self, x):
        for kernel in self.kernels:
            x += keras.ops.tanh(keras.ops.matmul(x, kernel))
        return x

    @property
    def relaxed_weights(self):
        return [tuple(self.kernels[i::2]) for i in range(2)]


def model():
    keras.utils.set_random_seed(3)
    return toy.model(dropout=0.3, layer=Turns)


def sets(network):
    same = network.get_layer("layer").relaxed_weights
    return [[variable.numpy() for variable in variables] for variables in same]


def apart(network):
    return oracles_relaxation.cost(sets(network))


def test_a_step_adds_the_gradient_of_the_cost():
    """pull · Σ_θ Σ_i |θ_i - θ̄|², by autodiff of the equation."""
    found = []
    for pull in (0.0, 0.3):
        keras.utils.set_random_seed(3)
        options = dict(optimizer="sgd", learning_rate=1.0, clip_norm=0.0)
        step = toy.step({"layer": Turns}, **options, relaxation_pull=pull)
        variables = step.model.trainable_variables
        with tf.GradientTape() as recording:
            cost = 0.0
            for same in step.model.get_layer("layer").relaxed_weights:
                mean = sum(v.value for v in same) / SETS
                cost += pull * sum(tf.reduce_sum((v.value - mean) ** 2) for v in same)
        weights = [v.value for v in variables]
        gradients = recording.gradient(cost, weights, unconnected_gradients="zero")
        before = [v.numpy() for v in variables]
        step(toy.batch())
        found.append([v.numpy() - x for v, x in zip(variables, before, strict=True)])
    for plain, pulled, gradient in zip(*found, gradients, strict=True):
        np.testing.assert_allclose(pulled - plain, -gradient, atol=1e-6)
    assert sum(np.abs(g).max() > 0.01 for g in gradients) == 2 * SETS


def test_it_grows_by_progress_and_ends_in_the_mean():
    network, start = model(), 0.7
    pull = RelaxationPull(network, start)
    variables, before = network.trainable_variables, sets(network)
    assert not any(pull.observe(False, variables) for _ in range(120))
    assert pull.scalars() == {"pull": pytest.approx(0.7)}
    seen = []
    for _ in range(120):
        ended = pull.observe(True, variables)
        seen.append((round(pull.scalars()["pull"], 4), ended))
        if not pull.over:
            assert all(map(np.array_equal, sets(network)[0], before[0]))
    # At once, for no step has grown it for long; then every 50 steps, to 1 and no more.
    expected = [(0.84, False)] * 50 + [(1.008, True)] + [(1.008, False)] * 69
    assert seen == expected
    for same, old in zip(sets(network), before, strict=True):
        assert all(np.array_equal(one, same[0]) for one in same)
        np.testing.assert_allclose(same[0], np.mean(old, axis=0), atol=1e-6)


def test_a_model_of_one_set_is_let_alone():
    network = toy.model()
    before = toy.weights(network)
    pull = RelaxationPull(network, 2.0)
    assert pull.sets == [] and pull.scalars() == {}
    assert not pull.observe(True, network.trainable_variables)
    assert toy.equal(toy.weights(network), before)


class Learned(toy.Batches):
    """Batches that are learned from the 8th on."""

    def observe(self, result):
        return self.number >= 8


def trainer(path, validate=lambda step: {"perplexity_symbol": 1.0}, **options):
    """Its pull grows after 8 steps and, if it may every 4 steps, ends after 12."""
    defaults = dict(train_steps=16, validate_every=2, checkpoint_every=2)
    defaults |= dict(average_decay=0.5, gradient_noise=0.1, relaxation_pull=0.8)
    config = TrainingConfig(**defaults | options)
    strategy = mirrored_strategy(1)
    with strategy.scope():
        network = model()
    directory = RunDirectory(path)
    directory.make()
    files = directory.training_files
    return Trainer(network, Learned(), Judge(validate), config, files, strategy)


@pytest.fixture
def often(monkeypatch):
    """Every 4 steps."""
    monkeypatch.setattr(pull_file, "_STEPS", 4)


@pytest.mark.slow
def test_what_is_validated_and_kept_is_one_set_in_the_end(often, tmp_path, caplog):
    """Also in a run that was stopped before the end: it is the whole one."""
    distances = {}

    def validate(step):
        distances[step] = apart(whole.model)
        return {"perplexity_symbol": float(step)}  # the earlier, the better

    whole = trainer(tmp_path / "whole", validate)
    whole.train()
    assert list(distances) == [2, 4, 6, 8, 10, 12, 14, 16]
    assert all(distances[step] > 1e-3 for step in (2, 4, 6, 8, 10))
    assert all(distances[step] == 0 for step in (12, 14, 16))
    # Those before the end are better, but of several sets.
    assert [best.step for best in whole.validation._best_weights.best()] == [12, 14, 16]
    assert "still apart" not in caplog.text
    last = toy.weights(whole.model)
    for which in ("best", "last"):
        load_weights(whole.model, getattr(whole.files, f"{which}_weights"))
        assert apart(whole.model) == 0

    first = trainer(tmp_path / "parts", train_steps=10)
    first.train()
    assert "still apart: the pull is 0.96," in caplog.text
    assert first.pull.scalars() == {"pull": pytest.approx(0.96)}
    second = trainer(tmp_path / "parts")
    second.restore()
    assert second.pull.scalars() == first.pull.scalars()
    second.train()
    assert second.pull.over and toy.equal(toy.weights(second.model), last)
