import dataclasses

import keras
import numpy as np
import pytest
import tensorflow as tf
import tiny
from oracles_search import Automaton

from neural_gpu_tf.decoding import beam_search, greedy
from neural_gpu_tf.decoding.size_search import n_best_search
from neural_gpu_tf.models import Ensemble, build_model
from neural_gpu_tf.models.shift_right import shift_right
from neural_gpu_tf.options import DecodingConfig


def other_model(name="extended_neural_gpu", seed=8):
    keras.utils.set_random_seed(seed)
    return build_model(dataclasses.replace(tiny.MODEL, model=name), 9)


@pytest.fixture(scope="module")
def members():
    """Of two kinds."""
    return [tiny.new_model(9), other_model("neural_gpu"), other_model()]


@pytest.fixture(scope="module")
def batch():
    random = np.random.default_rng(0)
    size = np.array([3, 4, 1], np.int32)
    source, target = random.integers(3, 9, (2, 3, 4)) * (np.arange(4) < size[:, None])
    return {
        "source": source.astype(np.int32),
        "target": target.astype(np.int32),
        "size": size,
    }


def log_softmax(logits):
    logits = np.array(logits, np.float64)
    return logits - np.log(np.exp(logits).sum(-1, keepdims=True))


def test_its_logits_are_the_mean_log_probabilities(members, batch):
    expected = np.mean([log_softmax(member(batch)) for member in members], axis=0)
    np.testing.assert_allclose(Ensemble(members)(batch), expected, atol=1e-5)


def test_step_by_step_they_are_the_same(members, batch):
    ensemble = Ensemble(members)
    expected = np.array(ensemble(batch))
    state = ensemble.start(batch["source"], batch["size"])
    for t in range(4):
        previous = batch["target"][:, max(t - 1, 0)]
        state, logits = ensemble.step(state, previous, t)
        inside = t < batch["size"]
        np.testing.assert_allclose(
            np.array(logits)[inside], expected[inside, t], atol=1e-4
        )


def test_equal_members_decode_as_one(members, batch):
    one, two = members[0], Ensemble([members[0]] * 2)
    alone, together = (
        beam_search(model, batch["source"], batch["size"], 3, 2, length_penalty=1.0)
        for model in (one, two)
    )
    np.testing.assert_array_equal(together.symbols, alone.symbols)
    np.testing.assert_allclose(
        together.log_probability, alone.log_probability, atol=1e-4
    )


def test_different_members_decide_together(members, batch):
    config = DecodingConfig(beam=3, n_best=2, sizes="2")
    length = (batch["source"] > 0).sum(axis=1)
    decoded = n_best_search(Ensemble(members), batch["source"], length, config)
    alone = n_best_search(members[0], batch["source"], length, config)
    assert (decoded.symbols.numpy() != alone.symbols.numpy()).any()
    # What it says of its output is the normalized mean.
    i, size = 1, int(decoded.size[1, 0])
    canvas = {
        "source": np.pad(batch["source"], [[0, 0], [0, 4]])[i : i + 1, :size],
        "target": decoded.symbols.numpy()[i : i + 1, 0, :size],
        "size": np.array([size]),
    }
    log_p = np.mean([log_softmax(member(canvas)) for member in members], axis=0)
    log_p = log_softmax(log_p)[0]
    said = canvas["target"][0]
    expected = sum(log_p[t, symbol] for t, symbol in enumerate(said) if symbol)
    np.testing.assert_allclose(decoded.log_probability[i, 0], expected, atol=1e-4)


def test_attention_is_the_mean_where_all_have_it():
    canvas = np.array([[3, 4, 5, 6]]), np.array([4])
    members = [Automaton(seed, columns=4) for seed in range(2)]
    ensemble = Ensemble.__new__(Ensemble)  # the members are no Keras models
    object.__setattr__(ensemble, "members", members)
    object.__setattr__(ensemble, "attends", True)
    state = ensemble.start(*canvas)
    state, _ = ensemble.step(state, np.array([1]), 0)
    expected = [
        member.step(member.start(*canvas), np.array([1]), 0) for member in members
    ]
    np.testing.assert_allclose(
        state.attention,
        np.mean([one.attention for one, _ in expected], axis=0),
        rtol=1e-6,
    )


def test_without_attention_of_one_there_is_none():
    members = [other_model(), other_model()]
    members[0].attends = True
    assert not Ensemble(members).attends
    members[1].attends = True
    assert Ensemble(members).attends


def test_it_depends_on_a_size_if_one_member_does():
    free, sized = other_model(), other_model()
    free.sized = False
    assert not Ensemble([free]).sized
    assert Ensemble([free, sized]).sized


class Subclassed(keras.Model):
    """A model of one's own that is no graph: all that it says is the symbol before."""

    sized = attends = aligns = answers_at_once = False

    def __init__(self, vocabulary_size=9, **options):
        super().__init__()
        self.embedding = keras.layers.Embedding(vocabulary_size, vocabulary_size)

    def call(self, inputs):
        return self.embedding(shift_right(inputs["target"]))

    def start(self, source, size):
        return source

    def step(self, state, previous, t):
        return state, self.embedding(previous)

    def stepper(self):
        return self.step


def test_members_may_be_ensembles_or_no_graphs(members, batch):
    nested = Ensemble([Ensemble(members), members[0], Subclassed()])
    assert nested(batch).shape == (3, 4, 9)
    assert greedy(nested, batch["source"], batch["size"]).symbols.shape == (3, 4)
    with pytest.raises(ValueError, match=r"vocabularies of \[8, 9\] symbols"):
        Ensemble([Ensemble(members), Subclassed(8)])


def test_its_weights_are_those_of_its_members_and_come_back(members, batch, tmp_path):
    ensemble = Ensemble(members)
    counts = [member.count_params() for member in members]
    assert ensemble.count_params() == sum(counts)
    ensemble.save(tmp_path / "ensemble.keras")
    loaded = keras.saving.load_model(tmp_path / "ensemble.keras")
    np.testing.assert_allclose(loaded(batch), ensemble(batch), atol=1e-5)


def test_it_leaves_the_configuration_that_it_is_made_of(members):
    config = Ensemble(members).get_config()
    for _ in range(2):
        copy = Ensemble.from_config(config)
    assert [type(x) for x in copy.members] == [type(x) for x in members]
    assert copy.get_config().keys() == config.keys()


def test_exported_by_keras_it_is_the_same(members, batch, tmp_path):
    ensemble = Ensemble([members[1], other_model("neural_gpu")])
    expected = ensemble(batch)
    ensemble.export(tmp_path / "model", verbose=False)
    loaded = tf.saved_model.load(tmp_path / "model")  # its variables live as long
    np.testing.assert_allclose(loaded.serve(batch), expected, atol=1e-5)
    shapes = {name: x.shape for name, x in batch.items()}
    assert ensemble.compute_output_shape(shapes) == expected.shape
